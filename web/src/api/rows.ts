/** The kinds of rows that the page uses, and their keys. docs/rows.md describes each. */

import type { RowOf } from "./generated";

export type RowKind = Exclude<keyof RowOf, "result" | "channel" | "landing" | "cleanup">;

const zeroPadded = (number: number, width: number) => String(number).padStart(width, "0");

/** The key of a row within its kind, as the event stream has it. */
export const rowKeyOf: { [K in RowKind]: (row: RowOf[K]) => string } = {
  run: () => "run",
  phase: (row) => String(row.number),
  task: (row) => row.id,
  taskDetail: (row) => row.id,
  attempt: (row) => `${row.task}/${row.number}`,
  agent: (row) => row.name,
  session: (row) => row.id,
  progress: (row) => row.sessionId,
  question: (row) => row.id,
  request: (row) => row.id,
  invocation: (row) => row.id,
  directMessage: (row) => row.id,
  escalation: (row) => row.id,
  gate: (row) => String(row.phase),
  checkpoint: (row) => row.id,
  receipt: (row) => `${zeroPadded(row.sequence, 12)}/${zeroPadded(row.index, 3)}`,
  feedbackLoop: (row) => row.id,
  turn: (row) => `${row.task ?? row.session}/${zeroPadded(row.index, 10)}`,
  chat: (row) => zeroPadded(row.index, 10),
  timeline: (row) => zeroPadded(row.sequence, 12),
  planOffer: (row) => row.id,
  inbox: (row) => (row.item.type === "gate" ? `gate/${row.item.id}` : row.item.id),
  overlap: (row) => row.tasks.map((task) => task.replaceAll("/", "+")).join("/"),
  usage: (row) => ("id" in row.scope ? `${row.scope.type}/${row.scope.id}` : row.scope.type),
};

export function isRowKind(kind: string): kind is RowKind {
  return Object.hasOwn(rowKeyOf, kind);
}
