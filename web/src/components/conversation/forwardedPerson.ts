import type { QuestionRow, TurnRow } from "~/api/generated";
import { personNameOfActor } from "~/components/actor";

type SpokenTurn = Pick<TurnRow, "role" | "kind" | "content">;
type QuestionActors = Pick<QuestionRow, "answeredBy" | "clarifications">;

/** The person whose words the orchestrator forwards in a turn; `null` for any other turn. */
export function forwardedPerson(
  { role, kind, content }: SpokenTurn,
  question: QuestionActors | undefined,
): string | null {
  if (role !== "orchestrator" || !question) return null;
  if (kind === "answer") return personNameOfActor(question.answeredBy);
  if (kind === "clarification")
    return personNameOfActor(question.clarifications.find(({ text }) => text === content)?.by);
  return null;
}
