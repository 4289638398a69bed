import type { ToolUse, TurnRow } from "~/api/generated";
import type { RunningTurn } from "~/api/running";

/** A tool as it is shown: what came of it, and what it printed where that is known. */
export type Tool = Pick<ToolUse, "title" | "status" | "output">;

/** A piece of a turn: words, or tools that were used without a word between them. */
export type TurnPart = { type: "words"; text: string } | { type: "tools"; tools: Tool[] };

/** A turn's words, with the tools where they were used. */
export function toParts({ content, tools }: Pick<TurnRow, "content" | "tools">): TurnPart[] {
  const lines = content.split("\n");
  const parts: TurnPart[] = [];
  let from = 0;
  for (const use of tools?.uses ?? []) {
    const to = Math.max(from, Math.min(use.line, lines.length));
    addWords(parts, lines.slice(from, to).join("\n"));
    addTool(parts, use);
    from = to;
  }
  addWords(parts, lines.slice(from).join("\n"));
  return parts;
}

/** The same of a turn that goes on. */
export function toRunningParts(turn: RunningTurn): TurnPart[] {
  const parts: TurnPart[] = [];
  for (const part of turn.parts) {
    if (part.type === "words") addWords(parts, part.text);
    else addTool(parts, part);
  }
  return parts;
}

/** How much there is to read; more when something was added. */
export function toSize(parts: readonly TurnPart[]): number {
  return parts.reduce((sum, part) => sum + (part.type === "words" ? part.text.length : part.tools.length), 0);
}

function addWords(parts: TurnPart[], text: string): void {
  if (text.trim() !== "") parts.push({ type: "words", text });
}

function addTool(parts: TurnPart[], tool: Tool): void {
  const last = parts.at(-1);
  if (last?.type === "tools") last.tools.push(tool);
  else parts.push({ type: "tools", tools: [tool] });
}
