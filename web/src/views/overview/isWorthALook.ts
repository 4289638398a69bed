import type { TaskRow } from "~/api/generated";

/** Whether a task is listed: while a run continues, failed ones; at its end whatever is not simply done and checked. */
export function isWorthALook({ state, marks }: Pick<TaskRow, "state" | "marks">, hasEnded: boolean): boolean {
  if (state === "failed") return true;
  return hasEnded && (state !== "done" || marks.length > 0);
}
