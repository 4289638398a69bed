/** The messages of an agent's protocol in both directions, one per line. */

import type { SessionRecord, SessionRecords } from "~/api/generated";

export type LogEntry = {
  key: string;
  way: SessionRecord["way"];
  at: number;
  text: string;
  /** Whether its beginning is missing. */
  isCut: boolean;
};

/** The lines of consecutive answers, without empty ones. An input that is in two answers appears once. */
export function toLogEntries(answers: readonly SessionRecords[]): LogEntry[] {
  const entries: LogEntry[] = [];
  const inputs = new Set<string>();
  let open = new Map<SessionRecord["way"], LogEntry>();
  let process = 0;
  for (const answer of answers) {
    if (answer.process !== process) open = new Map();
    // The answer starts in the middle of the output, so the beginning of its first line may be missing.
    const isUnknown = answer.process !== process && answer.offset > answer.first;
    process = answer.process;
    const begun = new Set<SessionRecord["way"]>();
    for (const record of answer.records) {
      if (record.way === "input") {
        const name = `${process}/${record.input}`;
        if (inputs.has(name)) continue;
        inputs.add(name);
      }
      addLines(entries, open, process, record, isUnknown && record.way !== "input" && !begun.has(record.way));
      begun.add(record.way);
    }
  }
  return entries.filter(({ text }) => text.trim() !== "");
}

function addLines(
  entries: LogEntry[],
  open: Map<SessionRecord["way"], LogEntry>,
  process: number,
  { way, offset, at, text, input }: SessionRecord,
  isCut: boolean,
): void {
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? undefined : end);
    const unfinished = way === "input" ? undefined : open.get(way);
    if (unfinished) unfinished.text += line;
    const key = `${process}/${way}/${input ?? ""}/${offset + start}`;
    const entry = unfinished ?? { key, way, at, text: line, isCut: isCut && start === 0 };
    if (!unfinished) entries.push(entry);
    if (end < 0) {
      if (way !== "input") open.set(way, entry);
      return;
    }
    open.delete(way);
    start = end + 1;
  }
}
