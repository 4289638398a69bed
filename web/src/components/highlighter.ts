/** Finds the parts of code that have a color. Loaded when a diff is shown: the grammars are large. */

import { common, createLowlight } from "lowlight";
import type { CodeSpan, DiffLine } from "./diff";

const lowlight = createLowlight(common);

/** Grammars by the ending of a file's name, where the name of the grammar or its aliases differ. */
const LANGUAGES: Record<string, string> = {
  toml: "ini",
  lock: "ini",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascript",
  mts: "typescript",
  cts: "typescript",
  tsx: "typescript",
  vue: "xml",
  svg: "xml",
  h: "c",
  hpp: "cpp",
  zsh: "bash",
};

/** The grammar of a file, if there is one. */
export function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const ending = name === "makefile" ? "makefile" : name.slice(name.lastIndexOf(".") + 1);
  const language = Object.hasOwn(LANGUAGES, ending) ? LANGUAGES[ending] : ending;
  return language !== undefined && lowlight.registered(language) ? language : null;
}

/** The lines of a diff as colored spans. Both versions are read as a whole, so that comments can span lines. */
export function highlightLines(path: string, lines: readonly DiffLine[]): CodeSpan[][] | null {
  const language = languageOf(path);
  if (language === null) return null;
  const before = highlightVersion(language, lines, "remove");
  const after = highlightVersion(language, lines, "add");
  return lines.map(
    (line, index) => (line.kind === "remove" ? before : after).get(index) ?? [plain(line.text)],
  );
}

const plain = (text: string): CodeSpan => ({ text, kind: null });

function highlightVersion(
  language: string,
  lines: readonly DiffLine[],
  changed: "add" | "remove",
): Map<number, CodeSpan[]> {
  const spans = new Map<number, CodeSpan[]>();
  let block: number[] = [];
  const endBlock = () => {
    const code = block.map((index) => lines[index]?.text ?? "").join("\n");
    splitLines(lowlight.highlight(language, code)).forEach((line, n) => {
      const index = block[n];
      if (index !== undefined) spans.set(index, line);
    });
    block = [];
  };
  lines.forEach(({ kind }, index) => {
    // Between two hunks are lines that the diff does not have.
    if (kind === "hunk") endBlock();
    else if (kind === "same" || kind === changed) block.push(index);
  });
  endBlock();
  return spans;
}

type Highlighted = ReturnType<typeof lowlight.highlight>;
type HighlightedNode = Highlighted["children"][number];

/** Flattens the tree of a highlighted text to the spans of its lines. */
function splitLines(root: Highlighted): CodeSpan[][] {
  const lines: CodeSpan[][] = [[]];
  const add = (node: HighlightedNode, kind: string | null) => {
    if (node.type === "text") {
      node.value.split("\n").forEach((text, n) => {
        if (n > 0) lines.push([]);
        if (text !== "") lines.at(-1)?.push({ text, kind });
      });
    } else if (node.type === "element") {
      const [name] = Array.isArray(node.properties.className) ? node.properties.className : [];
      const own = typeof name === "string" ? name.replace(/^hljs-/, "") : kind;
      for (const child of node.children) add(child, own);
    }
  };
  for (const node of root.children) add(node, null);
  return lines;
}
