/** Commands of a person to a run. */

import { cache, statusQuery } from "./client";
import type { CommandAccepted, CommandRequest, UserCommand } from "./generated";
import { encodePathSegment, postJson } from "./http";

/** The name under which commands are recorded: that of the user who runs the server. */
export async function personName(): Promise<string> {
  return (await cache.ensureQueryData(statusQuery)).person;
}

/** Values of the variables that a command provides, and the names of those that are not secret. */
export type ProvidedValues = { values: Record<string, string>; notSecret?: string[] };

/** Sends a command, with the values of the variables that it provides. */
export async function sendCommand(
  run: string,
  command: UserCommand,
  provided?: ProvidedValues,
): Promise<CommandAccepted> {
  const body: CommandRequest = { person: await personName(), command, ...provided };
  return postJson(`/api/runs/${encodePathSegment(run)}/commands`, body);
}
