/** The tasks of a run in columns, by how they stand. */

import type { Priority, TaskRow } from "~/api/generated";
import { compareIds } from "~/components/compareIds";
import { shownState } from "~/components/state";

export const COLUMNS = ["asks", "waiting", "ready", "running", "checking", "held", "done", "over"] as const;
export type ColumnId = (typeof COLUMNS)[number];

/** The most urgent first. */
export const PRIORITIES = ["critical", "high", "normal", "low"] as const satisfies readonly Priority[];

export type Column = { id: ColumnId; tasks: TaskRow[] };

/** These are shown without tasks too: one looks there for what comes. */
const ALWAYS: readonly ColumnId[] = ["waiting", "ready", "running", "done"];

/** Tells whether it matters for a task how urgent it is: it has not begun. */
export function canPrioritize(column: ColumnId): boolean {
  return column === "waiting" || column === "ready";
}

export function toBoard(tasks: Readonly<Record<string, TaskRow>>): Column[] {
  const columns: Record<ColumnId, TaskRow[]> = {
    asks: [],
    waiting: [],
    ready: [],
    running: [],
    checking: [],
    held: [],
    done: [],
    over: [],
  };
  for (const task of Object.values(tasks)) columns[columnOf(task)].push(task);
  const byPlan = (left: TaskRow, right: TaskRow) => left.phase - right.phase || compareIds(left.id, right.id);
  const rank = (task: TaskRow) => PRIORITIES.indexOf(task.priority);
  const bySince = (left: TaskRow, right: TaskRow) =>
    left.stateSinceAt - right.stateSinceAt || byPlan(left, right);
  for (const id of ["waiting", "ready"] as const)
    columns[id].sort((l, r) => rank(l) - rank(r) || byPlan(l, r));
  for (const id of ["asks", "running", "checking", "held"] as const) columns[id].sort(bySince);
  for (const id of ["done", "over"] as const) columns[id].sort((left, right) => bySince(right, left));
  const isShown = (id: ColumnId) => columns[id].length > 0 || ALWAYS.includes(id);
  return COLUMNS.filter(isShown).map((id) => ({ id, tasks: columns[id] }));
}

export function columnOf(task: Pick<TaskRow, "state" | "blocked">): ColumnId {
  const shown = shownState(task);
  switch (shown) {
    case "asks":
    case "escalated":
      return "asks";
    case "waiting":
    case "ready":
    case "running":
    case "done":
      return shown;
    case "checking":
    case "merging":
      return "checking";
    case "blocked":
    case "paused":
    case "limited":
      return "held";
    case "failed":
    case "skipped":
    case "cancelled":
      return "over";
  }
}

export type Section = { priority: Priority; tasks: TaskRow[] };

/** The tasks of a column by how urgent they are. All are there, also those without tasks: one drops something there. */
export function toSections(tasks: readonly TaskRow[]): Section[] {
  return PRIORITIES.map((priority) => ({
    priority,
    tasks: tasks.filter((task) => task.priority === priority),
  }));
}
