import type { QuestionSummary } from "./questionSummary";

/** The open question of a task in one line. Only questions for a person are amber. */
export function QuestionLine({
  question,
  className = "",
}: {
  question: QuestionSummary;
  className?: string;
}) {
  const tone = question.isForPerson ? "bg-ask-soft font-medium text-ask" : "bg-page text-soft";
  return (
    <span
      data-asks={question.isForPerson ? "person" : "orchestrator"}
      className={`text-xs ${tone} ${className}`}
    >
      ? {question.text}
    </span>
  );
}
