import { CircleHelp } from "lucide-react";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { personNameOfActor } from "~/components/actor";
import { useLocalizedText } from "~/components/localizedText";
import { useOpenTask } from "~/components/navigation";
import { ClockTime, Duration } from "~/components/Time";
import type { QuestionStep, QuestionTimeline } from "./toTimeline";

const DOTS: Record<QuestionStep, string> = {
  asked: "bg-ask",
  withPerson: "bg-ask",
  answered: "bg-done",
  delivered: "bg-done",
  resumed: "bg-run",
  withdrawn: "bg-wait",
  expired: "bg-fail",
};

/** The steps of one question, from asking to the task that resumes, with the time between them. */
export function QuestionHistory({ timeline: { question, steps, isOpen } }: { timeline: QuestionTimeline }) {
  const { t } = useTranslation();
  const open = useOpenTask();
  const localize = useLocalizedText();
  // A question that the orchestrator is handling does not wait for the person.
  const isForPerson = question.status === "pending";
  const by = personNameOfActor(question.answeredBy);
  return (
    <article
      className={`rounded-xl border p-3 ${isForPerson ? "border-ask-line bg-ask-soft" : "border-line bg-panel"}`}
    >
      <button
        type="button"
        className="flex w-full items-baseline gap-2 text-left"
        data-task={question.task}
        onClick={() => question.task && open(question.task)}
      >
        {isOpen && (
          <CircleHelp
            aria-hidden
            size={14}
            className={`shrink-0 self-center ${isForPerson ? "text-ask" : "text-wait"}`}
          />
        )}
        <b dir="auto" title={localize(question)} className="line-clamp-2 min-w-0 flex-1 font-semibold">
          {localize(question)}
        </b>
        <span className="shrink-0 text-soft text-xs">
          <code className="font-mono font-semibold">{question.task ?? question.id}</code>
          {question.agent && ` · ${question.agent}`}
        </span>
      </button>
      <ol className="mt-2 grid grid-cols-[10px_auto_1fr_auto] items-center gap-x-2 text-xs">
        {steps.map(({ step, at }, n) => {
          const before = steps[n - 1];
          return (
            <Fragment key={step}>
              {before && (
                <li className="contents text-soft">
                  <span aria-hidden className="mx-auto h-3 w-px bg-line" />
                  <span className="col-span-3">
                    <Duration from={before.at} to={at} />
                  </span>
                </li>
              )}
              <li className="contents">
                <i aria-hidden className={`size-2.5 rounded-full ${DOTS[step]}`} />
                <span className="font-medium">{t(`timeline.step.${step}`)}</span>
                <span className="truncate text-soft">
                  {step === "answered" && [question.answer, by && `(${by})`].filter(Boolean).join(" ")}
                </span>
                <span className="text-soft">
                  <ClockTime at={at} />
                </span>
              </li>
            </Fragment>
          );
        })}
        {isOpen && (
          <li className={`contents ${isForPerson ? "text-ask" : "text-soft"}`}>
            <span aria-hidden className={`mx-auto h-3 w-px ${isForPerson ? "bg-ask-line" : "bg-line"}`} />
            <span className="col-span-3 font-medium">
              {t("timeline.waiting")} <Duration from={steps.at(-1)?.at ?? question.askedAt} to={null} />
            </span>
          </li>
        )}
      </ol>
    </article>
  );
}
