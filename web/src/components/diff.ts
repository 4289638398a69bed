/** Parses a unified diff of git. */

export type DiffLine = {
  kind: "add" | "remove" | "same" | "hunk";
  text: string;
  /** The number of the line in the file before the change, and after it. */
  before: number | null;
  after: number | null;
};
/** A part of a line of code; the kind is what its grammar calls it, such as `keyword`. */
export type CodeSpan = { text: string; kind: string | null };
export type DiffFile = { path: string; added: number; removed: number; lines: DiffLine[]; binary: boolean };

export function parseDiff(text: string): DiffFile[] {
  const files: DiffFile[] = [];
  let inHunk = false;
  let [before, after] = [0, 0];
  for (const line of text.split("\n")) {
    const file = files.at(-1);
    if (line.startsWith("diff --git ")) {
      files.push({ path: pathInHeader(line), added: 0, removed: 0, lines: [], binary: false });
      inHunk = false;
    } else if (!file) {
    } else if (line.startsWith("@@")) {
      inHunk = true;
      [before, after] = firstLines(line);
      file.lines.push({ kind: "hunk", text: line, before: null, after: null });
    } else if (!inHunk) {
      if (line.startsWith("+++ ") && line !== "+++ /dev/null") file.path = line.slice(4).replace(/^b\//, "");
      if (line.startsWith("Binary files ")) file.binary = true;
    } else if (line.startsWith("+")) {
      file.added += 1;
      file.lines.push({ kind: "add", text: line.slice(1), before: null, after: after++ });
    } else if (line.startsWith("-")) {
      file.removed += 1;
      file.lines.push({ kind: "remove", text: line.slice(1), before: before++, after: null });
    } else if (line.startsWith(" ")) {
      file.lines.push({ kind: "same", text: line.slice(1), before: before++, after: after++ });
    }
  }
  return files;
}

/** The numbers of the first lines of a hunk, e.g. 3 and 5 of `@@ -3,2 +5,4 @@`. */
function firstLines(hunk: string): [before: number, after: number] {
  const [, before, after] = /^@@+ -(\d+)(?:,\d+)? \+(\d+)/.exec(hunk) ?? [];
  return [Number(before ?? 0), Number(after ?? 0)];
}

function pathInHeader(header: string): string {
  return / b\/(.*)$/.exec(header)?.[1] ?? header.slice("diff --git ".length);
}
