/** The messages of an agent's protocol in both directions, one per line. */

import type { SessionRecord, SessionRecords } from "~/api/generated";

export type MessageLogEntry = {
  key: string;
  direction: SessionRecord["direction"];
  at: number;
  text: string;
  /** Whether its beginning is missing. */
  isCut: boolean;
};

/** The lines of consecutive answers, without empty ones. An input that is in two answers appears once. */
export function toMessageLogEntries(answers: readonly SessionRecords[]): MessageLogEntry[] {
  const entries: MessageLogEntry[] = [];
  const inputs = new Set<string>();
  let open = new Map<SessionRecord["direction"], MessageLogEntry>();
  let process = 0;
  for (const answer of answers) {
    if (answer.process !== process) open = new Map();
    // The answer starts in the middle of the output, so the beginning of its first line may be missing.
    const isUnknown = answer.process !== process && answer.offset > answer.first;
    process = answer.process;
    const begun = new Set<SessionRecord["direction"]>();
    for (const record of answer.records) {
      if (record.direction === "input") {
        const name = `${process}/${record.input}`;
        if (inputs.has(name)) continue;
        inputs.add(name);
      }
      addRecordLines(
        entries,
        open,
        process,
        record,
        isUnknown && record.direction !== "input" && !begun.has(record.direction),
      );
      begun.add(record.direction);
    }
  }
  return entries.filter(({ text }) => text.trim() !== "");
}

function addRecordLines(
  entries: MessageLogEntry[],
  open: Map<SessionRecord["direction"], MessageLogEntry>,
  process: number,
  { direction, offset, at, text, input }: SessionRecord,
  isCut: boolean,
): void {
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? undefined : end);
    const unfinished = direction === "input" ? undefined : open.get(direction);
    if (unfinished) unfinished.text += line;
    const key = `${process}/${direction}/${input ?? ""}/${offset + start}`;
    const entry = unfinished ?? { key, direction, at, text: line, isCut: isCut && start === 0 };
    if (!unfinished) entries.push(entry);
    if (end < 0) {
      if (direction !== "input") open.set(direction, entry);
      return;
    }
    open.delete(direction);
    start = end + 1;
  }
}
