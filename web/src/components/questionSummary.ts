/** The first line of a task's open question, for cards and lists. */

import type { TaskRow } from "~/api/generated";
import { useInboxEntry } from "~/api/rowSubscriptions";
import { useLocalizedText } from "./localizedText";
import { waitsForPerson } from "./state";

/** The key of the inbox entry that a person must settle before a task continues. */
export function blockingInboxKey(task: Pick<TaskRow, "state" | "blocked">): string | null {
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

export type QuestionSummary = {
  text: string;
  /** Otherwise it is for the orchestrator. */
  isForPerson: boolean;
};

/** The open question of a task; `null` if it has none. */
export function useQuestionSummary(run: string, task: TaskRow | undefined): QuestionSummary | null {
  const localize = useLocalizedText();
  const key = task ? blockingInboxKey(task) : null;
  const row = useInboxEntry(run, key);
  const question = row ?? (task?.state === "blocked" ? task.question : null);
  if (!question) return null;
  return { text: localize(question).split("\n", 1)[0] ?? "", isForPerson: key !== null };
}
