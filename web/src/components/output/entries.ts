/** What an agent was told and said in its protocol, line by line. */

import type { SessionRecord, SessionRecords } from "~/api/generated";

export type Entry = {
  key: string;
  way: SessionRecord["way"];
  at: number;
  text: string;
  /** Its beginning or its end is not there (yet). */
  isCut: boolean;
};

/** The lines of answers that follow each other. Empty ones are left out, and an input that two answers have is one. */
export function toEntries(answers: readonly SessionRecords[]): Entry[] {
  const entries: Entry[] = [];
  const inputs = new Set<string>();
  let open = new Map<SessionRecord["way"], Entry>();
  let process = 0;
  for (const answer of answers) {
    if (answer.process !== process) open = new Map();
    // What is before the first answer is not known, so its first line may lack its beginning.
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
  entries: Entry[],
  open: Map<SessionRecord["way"], Entry>,
  process: number,
  { way, offset, at, text, input }: SessionRecord,
  isCut: boolean,
): void {
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? undefined : end);
    const going = way === "input" ? undefined : open.get(way);
    if (going) going.text += line;
    const key = `${process}/${way}/${input ?? ""}/${offset + start}`;
    const entry = going ?? { key, way, at, text: line, isCut: isCut && start === 0 };
    if (!going) entries.push(entry);
    if (end < 0) {
      if (way !== "input") open.set(way, entry);
      return;
    }
    open.delete(way);
    start = end + 1;
  }
}
