import type { Table } from "~/api/cache";
import type { PhaseRow, TaskRow } from "~/api/generated";

/** Puts tasks under their phases, both in the order of the plan's numbers. */
export function toPhases(
  phases: Table<"phase">,
  tasks: Table<"task">,
): { phase: PhaseRow; tasks: TaskRow[] }[] {
  const order = new Intl.Collator("en", { numeric: true });
  const all = Object.values(tasks).sort((left, right) => order.compare(left.id, right.id));
  return Object.values(phases)
    .sort((left, right) => left.number - right.number)
    .map((phase) => ({ phase, tasks: all.filter((task) => task.phase === phase.number) }));
}
