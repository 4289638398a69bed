/** Sorts the tasks of a run into columns by state. */

import type { Priority, TaskRow } from "~/api/generated";
import { compareIds } from "~/components/compareIds";
import { displayState } from "~/components/state";

export const COLUMNS = [
  "needsAnswer",
  "waiting",
  "ready",
  "running",
  "checking",
  "blocked",
  "done",
  "notDone",
] as const;
export type ColumnId = (typeof COLUMNS)[number];

/** Most urgent first. */
export const PRIORITIES = ["critical", "high", "normal", "low"] as const satisfies readonly Priority[];

export type Column = { id: ColumnId; tasks: TaskRow[] };

/** Columns that are shown even if they are empty. */
const ALWAYS_SHOWN: readonly ColumnId[] = ["waiting", "ready", "running", "done"];

/** Whether the tasks of a column are shown by priority, because it decides which of them starts next. */
export function isByPriority(column: ColumnId): boolean {
  return column === "waiting" || column === "ready";
}

export function toBoard(tasks: Readonly<Record<string, TaskRow>>): Column[] {
  const columns: Record<ColumnId, TaskRow[]> = {
    needsAnswer: [],
    waiting: [],
    ready: [],
    running: [],
    checking: [],
    blocked: [],
    done: [],
    notDone: [],
  };
  for (const task of Object.values(tasks)) columns[columnOf(task)].push(task);
  const byPlan = (left: TaskRow, right: TaskRow) => left.phase - right.phase || compareIds(left.id, right.id);
  const rank = (task: TaskRow) => PRIORITIES.indexOf(task.priority);
  const bySince = (left: TaskRow, right: TaskRow) =>
    left.stateSinceAt - right.stateSinceAt || byPlan(left, right);
  for (const id of ["waiting", "ready"] as const)
    columns[id].sort((l, r) => rank(l) - rank(r) || byPlan(l, r));
  for (const id of ["needsAnswer", "running", "checking", "blocked"] as const) columns[id].sort(bySince);
  for (const id of ["done", "notDone"] as const) columns[id].sort((left, right) => bySince(right, left));
  const isShown = (id: ColumnId) => columns[id].length > 0 || ALWAYS_SHOWN.includes(id);
  return COLUMNS.filter(isShown).map((id) => ({ id, tasks: columns[id] }));
}

export function columnOf(task: Pick<TaskRow, "state" | "blocked">): ColumnId {
  const state = displayState(task);
  switch (state) {
    case "needsAnswer":
    case "problem":
      return "needsAnswer";
    case "waiting":
    case "ready":
    case "running":
    case "done":
      return state;
    case "checking":
    case "merging":
      return "checking";
    case "blocked":
    case "paused":
    case "rateLimited":
      return "blocked";
    case "failed":
    case "skipped":
    case "cancelled":
      return "notDone";
  }
}

export type PrioritySection = { priority: Priority; tasks: TaskRow[] };

/** The tasks of a column by priority, including empty sections, because cards can be dropped there. */
export function toPrioritySections(tasks: readonly TaskRow[]): PrioritySection[] {
  return PRIORITIES.map((priority) => ({
    priority,
    tasks: tasks.filter((task) => task.priority === priority),
  }));
}
