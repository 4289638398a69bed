import type { ToolUse, TurnRow } from "~/api/generated";
import type { RunningTurn } from "~/api/runningTurns";

export type ToolCall = Pick<ToolUse, "title" | "status" | "output">;

/** A part of a turn: text, or consecutive tool calls. */
export type TurnPart = { type: "text"; text: string } | { type: "tools"; tools: ToolCall[] };

/** Splits a turn into text and the tool calls between its lines. */
export function toTurnParts({ content, tools }: Pick<TurnRow, "content" | "tools">): TurnPart[] {
  const lines = content.split("\n");
  const parts: TurnPart[] = [];
  let from = 0;
  for (const use of tools?.uses ?? []) {
    const to = Math.max(from, Math.min(use.line, lines.length));
    addText(parts, lines.slice(from, to).join("\n"));
    addTool(parts, use);
    from = to;
  }
  addText(parts, lines.slice(from).join("\n"));
  return parts;
}

/** The same for a turn in progress. */
export function toRunningTurnParts(turn: RunningTurn): TurnPart[] {
  const parts: TurnPart[] = [];
  for (const part of turn.parts) {
    if (part.type === "text") addText(parts, part.text);
    else addTool(parts, part);
  }
  return parts;
}

/** A size that grows when something is added. */
export function totalPartsSize(parts: readonly TurnPart[]): number {
  return parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : part.tools.length), 0);
}

function addText(parts: TurnPart[], text: string): void {
  if (text.trim() !== "") parts.push({ type: "text", text });
}

function addTool(parts: TurnPart[], tool: ToolCall): void {
  const last = parts.at(-1);
  if (last?.type === "tools") last.tools.push(tool);
  else parts.push({ type: "tools", tools: [tool] });
}
