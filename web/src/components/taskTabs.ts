/** The tabs of a task's panel, in order. */
export const TASK_TABS = [
  "brief",
  "conversation",
  "changes",
  "checks",
  "output",
  "attempts",
  "events",
] as const;
export type TaskTab = (typeof TASK_TABS)[number];

export function isTaskTab(word: string): word is TaskTab {
  return (TASK_TABS as readonly string[]).includes(word);
}
