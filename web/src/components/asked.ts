/** What a task asks, in short, wherever it is shown. */

import type { TaskRow } from "~/api/generated";
import { useKeyedWaiting } from "~/api/keyed";
import { useInWords } from "./inWords";
import { waitsForPerson } from "./state";

/** The key of what a person must settle before a task goes on: that of its row in the inbox. */
export function waitsForWhat(task: Pick<TaskRow, "state" | "blocked">): string | null {
  if (!waitsForPerson(task)) return null;
  for (const { on, reason } of task.blocked) {
    if (on.type !== "person") continue;
    switch (reason.type) {
      case "question":
        return reason.question;
      case "request":
        return reason.request;
      case "escalated":
        return reason.escalation;
      case "approval":
        return `gate/${reason.phase}`;
    }
  }
  return null;
}

export type Asked = { words: string; isForPerson: boolean };

/** What a task asks a person, or else the orchestrator, in its first line; nothing where it asks nobody. */
export function useAsked(run: string, task: TaskRow | undefined): Asked | null {
  const inWords = useInWords();
  const key = task ? waitsForWhat(task) : null;
  const row = useKeyedWaiting(run, key);
  const said = row ?? (task?.state === "blocked" ? task.question : null);
  if (!said) return null;
  return { words: inWords(said).split("\n", 1)[0] ?? "", isForPerson: key !== null };
}
