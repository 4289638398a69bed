import type { RowsByKey } from "~/api/cache";
import type { PhaseRow, TaskRow } from "~/api/generated";
import { taskMatchesSearch } from "~/components/taskMatchesSearch";

export type ListRow = { key: string } & ({ phase: PhaseRow } | { task: TaskRow });

const idOrder = new Intl.Collator("en", { numeric: true });

/** Phases and their tasks by number; with a search only the tasks that match, and their phases. */
export function toListRows(phases: RowsByKey<"phase">, tasks: RowsByKey<"task">, search: string): ListRow[] {
  const isMatch = (task: TaskRow) => search.trim() === "" || taskMatchesSearch(task.id, task, search);
  const all = Object.values(tasks)
    .filter(isMatch)
    .sort((left, right) => idOrder.compare(left.id, right.id));
  return Object.values(phases)
    .sort((left, right) => left.number - right.number)
    .flatMap((phase): ListRow[] => {
      const own = all.filter((task) => task.phase === phase.number);
      if (own.length === 0 && search.trim() !== "") return [];
      return [{ key: `phase ${phase.number}`, phase }, ...own.map((task) => ({ key: task.id, task }))];
    });
}

/** The index of the task that a key moves to, or `null`. */
export function nextTaskIndex(rows: readonly ListRow[], from: number, key: string): number | null {
  const isTask = (n: number) => "task" in (rows[n] ?? {});
  const step = { ArrowDown: 1, ArrowUp: -1, Home: 1, End: -1 }[key];
  if (step === undefined) return null;
  const start = { Home: 0, End: rows.length - 1 }[key] ?? from + step;
  for (let n = start; n >= 0 && n < rows.length; n += step) if (isTask(n)) return n;
  return null;
}
