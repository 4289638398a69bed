/** Parses a unified diff of git. */

export type DiffLine = { kind: "add" | "remove" | "same" | "hunk"; text: string };
export type DiffFile = { path: string; added: number; removed: number; lines: DiffLine[]; binary: boolean };

export function parseDiff(text: string): DiffFile[] {
  const files: DiffFile[] = [];
  let inHunk = false;
  for (const line of text.split("\n")) {
    const file = files.at(-1);
    if (line.startsWith("diff --git ")) {
      files.push({ path: pathInHeader(line), added: 0, removed: 0, lines: [], binary: false });
      inHunk = false;
    } else if (!file) {
    } else if (line.startsWith("@@")) {
      inHunk = true;
      file.lines.push({ kind: "hunk", text: line });
    } else if (!inHunk) {
      if (line.startsWith("+++ ") && line !== "+++ /dev/null") file.path = line.slice(4).replace(/^b\//, "");
      if (line.startsWith("Binary files ")) file.binary = true;
    } else if (line.startsWith("+")) {
      file.added += 1;
      file.lines.push({ kind: "add", text: line.slice(1) });
    } else if (line.startsWith("-")) {
      file.removed += 1;
      file.lines.push({ kind: "remove", text: line.slice(1) });
    } else if (line.startsWith(" ")) {
      file.lines.push({ kind: "same", text: line.slice(1) });
    }
  }
  return files;
}

function pathInHeader(header: string): string {
  return / b\/(.*)$/.exec(header)?.[1] ?? header.slice("diff --git ".length);
}
