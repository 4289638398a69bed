import type { TaskRow } from "~/api/generated";

type SearchableTask = Pick<TaskRow, "title" | "agent" | "question">;

/** Whether a task matches a search: by the start of its id, or by a part of its title, agent or question. */
export function taskMatchesSearch(id: string, task: SearchableTask | undefined, search: string): boolean {
  const term = search.trim().toLowerCase();
  if (term === "") return false;
  const texts = [task?.title, task?.agent, task?.question?.text, task?.question?.korean];
  return id.toLowerCase().startsWith(term) || texts.some((text) => text?.toLowerCase().includes(term));
}

/** The tasks that match a search; all without one. */
export function matchingTasks(
  tasks: Readonly<Record<string, TaskRow>>,
  search: string,
): Readonly<Record<string, TaskRow>> {
  if (search.trim() === "") return tasks;
  return Object.fromEntries(
    Object.entries(tasks).filter(([id, task]) => taskMatchesSearch(id, task, search)),
  );
}
