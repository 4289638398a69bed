/** What the server tells of a session's process: what went to and fro, and its terminal. */

import { getJson, part, postJson } from "./http";

/** A piece of what a process wrote, or was told: lines, or a part of one. */
export type SessionRecord = {
  way: "output" | "error" | "input";
  /** The number of an input. */
  input?: number;
  /** The output byte at which it begins, or before which it was typed. */
  offset: number;
  at: number;
  text: string;
};

export type SessionRecords = {
  process: number;
  hasTerminal: boolean;
  /** The first byte that is still kept. */
  first: number;
  offset: number;
  next: number;
  isOver: boolean;
  records: SessionRecord[];
};

/** What a terminal tells over its socket. */
export type TerminalTold =
  | { type: "snapshot"; offset: number; columns: number; rows: number; text: string }
  | { type: "output"; offset: number; text: string }
  | { type: "resized"; columns: number; rows: number }
  | { type: "ended" }
  | { type: "problem" };

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

export function terminalAddress(run: string, session: string): string {
  const address = new URL(`${pathOf(run, session)}/terminal`, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  return address.href;
}
