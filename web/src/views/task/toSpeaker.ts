import type { QuestionRow, TurnRow } from "~/api/generated";
import { actorName } from "~/components/actor";

type Said = Pick<TurnRow, "role" | "kind" | "content">;
type About = Pick<QuestionRow, "answeredBy" | "askedBack">;

/** The person whose words a turn has, where the orchestrator only hands them on. */
export function toSpeaker({ role, kind, content }: Said, question: About | undefined): string | null {
  if (role !== "orchestrator" || !question) return null;
  if (kind === "answer") return actorName(question.answeredBy);
  if (kind === "askBack") return actorName(question.askedBack.find(({ text }) => text === content)?.by);
  return null;
}
