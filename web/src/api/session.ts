/** What the server can be asked about a session's process: what went to and fro, and its terminal. */

import type { SessionRecords } from "./generated";
import { getJson, part, postJson } from "./http";

const pathOf = (run: string, session: string) => `/api/runs/${part(run)}/sessions/${part(session)}`;

/** Records from a place on, before a place, or the last ones. */
export function fetchRecords(
  run: string,
  session: string,
  wanted: { process?: number; after?: number; before?: number; limit: number },
  signal?: AbortSignal,
): Promise<SessionRecords> {
  const query = Object.entries(wanted).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  return getJson(`${pathOf(run, session)}/records?${query.join("&")}`, signal);
}

/** Types a line into a session's terminal. */
export function typeLine(run: string, session: string, text: string): Promise<null> {
  return postJson(`${pathOf(run, session)}/input`, { text });
}

/** Ends the process of a session. Its run hears of it, and does what its rules say. */
export function stopSession(run: string, session: string): Promise<null> {
  return postJson(`${pathOf(run, session)}/stop`, null);
}

export function terminalAddress(run: string, session: string): string {
  const address = new URL(`${pathOf(run, session)}/terminal`, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  return address.href;
}
