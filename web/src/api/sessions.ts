/** Requests about a session's process: its input and output, its terminal, and stopping it. */

import type { SessionRecords } from "./generated";
import { encodePathSegment, getJson, postJson } from "./http";

const sessionPath = (run: string, session: string) =>
  `/api/runs/${encodePathSegment(run)}/sessions/${encodePathSegment(session)}`;

/** Fetches records after or before an offset, or the last ones. */
export function fetchRecords(
  run: string,
  session: string,
  range: { process?: number; after?: number; before?: number; limit: number },
  signal?: AbortSignal,
): Promise<SessionRecords> {
  const query = Object.entries(range).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  return getJson(`${sessionPath(run, session)}/records?${query.join("&")}`, signal);
}

/** Types a line into a session's terminal. */
export function typeTerminalLine(run: string, session: string, text: string): Promise<null> {
  return postJson(`${sessionPath(run, session)}/input`, { text });
}

/** Ends the process of a session. The run then retries the task or asks, as its settings say. */
export function stopSession(run: string, session: string): Promise<null> {
  return postJson(`${sessionPath(run, session)}/stop`, null);
}

export function terminalUrl(run: string, session: string): string {
  const address = new URL(`${sessionPath(run, session)}/terminal`, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  return address.href;
}
