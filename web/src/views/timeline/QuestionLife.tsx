import { CircleHelp } from "lucide-react";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { actorName } from "~/components/actor";
import { useInWords } from "~/components/inWords";
import { useOpening } from "~/components/opening";
import { Clock, Lasted } from "~/components/Time";
import type { Life, Step } from "./toTimeline";

const DOTS: Record<Step, string> = {
  asked: "bg-ask",
  withPerson: "bg-ask",
  answered: "bg-done",
  delivered: "bg-done",
  resumed: "bg-run",
  withdrawn: "bg-wait",
  expired: "bg-fail",
};

/** One question from asking to the task that goes on, with the time between. */
export function QuestionLife({ life: { question, steps, isOpen } }: { life: Life }) {
  const { t } = useTranslation();
  const opening = useOpening();
  const inWords = useInWords();
  // What the orchestrator still has in hand waits for nobody else.
  const isMine = question.status === "pending";
  const by = actorName(question.answeredBy);
  return (
    <article
      className={`rounded-xl border p-3 ${isMine ? "border-ask-line bg-ask-soft" : "border-line bg-panel"}`}
    >
      <button
        type="button"
        className="flex w-full items-baseline gap-2 text-left"
        data-task={question.task}
        {...opening(question.task)}
      >
        {isOpen && (
          <CircleHelp
            aria-hidden
            size={14}
            className={`shrink-0 self-center ${isMine ? "text-ask" : "text-wait"}`}
          />
        )}
        <b dir="auto" className="min-w-0 flex-1 font-semibold">
          {inWords(question)}
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
                    <Lasted from={before.at} to={at} />
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
                  <Clock at={at} />
                </span>
              </li>
            </Fragment>
          );
        })}
        {isOpen && (
          <li className={`contents ${isMine ? "text-ask" : "text-soft"}`}>
            <span aria-hidden className={`mx-auto h-3 w-px ${isMine ? "bg-ask-line" : "bg-line"}`} />
            <span className="col-span-3 font-medium">
              {t("timeline.waits")} <Lasted from={steps.at(-1)?.at ?? question.askedAt} to={null} />
            </span>
          </li>
        )}
      </ol>
    </article>
  );
}
