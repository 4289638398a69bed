/** Commands of a person to a run. */

import { cache, statusQuery } from "./client";
import type { CommandAccepted, CommandRequest, UserCommand } from "./generated";
import { encodePathSegment, postJson } from "./http";

/** The name under which commands are recorded: that of the user who runs the server. */
export async function personName(): Promise<string> {
  return (await cache.ensureQueryData(statusQuery)).person;
}

/** Sends a command; `values` are those of the variables that it provides. */
export async function sendCommand(
  run: string,
  command: UserCommand,
  values?: Record<string, string>,
): Promise<CommandAccepted> {
  const body: CommandRequest = { person: await personName(), command, ...(values && { values }) };
  return postJson(`/api/runs/${encodePathSegment(run)}/commands`, body);
}
