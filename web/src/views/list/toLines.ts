import type { Table } from "~/api/cache";
import type { PhaseRow, TaskRow } from "~/api/generated";
import { isFound } from "~/components/found";

export type ListLine = { key: string } & ({ phase: PhaseRow } | { task: TaskRow });

const order = new Intl.Collator("en", { numeric: true });

/** Puts tasks under their phases, both in the order of the plan's numbers. A search leaves what it means. */
export function toLines(phases: Table<"phase">, tasks: Table<"task">, search: string): ListLine[] {
  const isMeant = (task: TaskRow) => search.trim() === "" || isFound(task.id, task, search);
  const all = Object.values(tasks)
    .filter(isMeant)
    .sort((left, right) => order.compare(left.id, right.id));
  return Object.values(phases)
    .sort((left, right) => left.number - right.number)
    .flatMap((phase): ListLine[] => {
      const own = all.filter((task) => task.phase === phase.number);
      if (own.length === 0 && search.trim() !== "") return [];
      return [{ key: `phase ${phase.number}`, phase }, ...own.map((task) => ({ key: task.id, task }))];
    });
}

/** The line of the task that a key leads to from another line; none where it leads nowhere. */
export function toNext(lines: readonly ListLine[], from: number, key: string): number | null {
  const isTask = (n: number) => "task" in (lines[n] ?? {});
  const step = { ArrowDown: 1, ArrowUp: -1, Home: 1, End: -1 }[key];
  if (step === undefined) return null;
  const start = { Home: 0, End: lines.length - 1 }[key] ?? from + step;
  for (let n = start; n >= 0 && n < lines.length; n += step) if (isTask(n)) return n;
  return null;
}
