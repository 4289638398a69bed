import type { TaskRow } from "~/api/generated";

type Searched = Pick<TaskRow, "title" | "agent" | "question">;

/** Tells whether a search means a task: by the beginning of its name, or by words anywhere. */
export function isFound(id: string, task: Searched | undefined, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  if (wanted === "") return false;
  const words = [task?.title, task?.agent, task?.question?.text, task?.question?.korean];
  return id.toLowerCase().startsWith(wanted) || words.some((word) => word?.toLowerCase().includes(wanted));
}
