import { useTranslation } from "react-i18next";
import type { InboxEntry } from "~/api/generated";
import { useRow } from "~/api/hooks";
import { useInWords } from "../inWords";
import { useCardOpening, useOpening } from "../opening";
import { Ago } from "../Time";
import { AskedText } from "./AskedText";
import { EscalationForm } from "./EscalationForm";
import { GateForm } from "./GateForm";
import { HoldsUp } from "./HoldsUp";
import { PlanForm } from "./PlanForm";
import { QuestionForm } from "./QuestionForm";
import { RequestForm } from "./RequestForm";

type Props = { waiting: InboxEntry; chosen?: boolean; runTitle?: string | undefined };

/** One thing that waits for a person: what it is, what it holds up, and how to settle it on the spot. */
export function WaitingCard({ waiting, chosen = false, runTitle }: Props) {
  const { t } = useTranslation();
  const inWords = useInWords();
  const opening = useOpening();
  const cardOpening = useCardOpening();
  const task = useRow(waiting.run, "task", waiting.task);
  const { item } = waiting;
  return (
    <article
      data-waiting={`${waiting.run}/${item.id}`}
      aria-label={inWords(waiting)}
      {...cardOpening(waiting.task, waiting.run)}
      className={`flex flex-col gap-2 rounded-xl border bg-ask-soft px-3.5 py-3 ${chosen ? "border-ask-fill ring-1 ring-ask-fill" : "border-ask-line"}`}
    >
      <header className="flex flex-wrap items-baseline justify-between gap-x-3 text-soft text-xs">
        {waiting.task ? (
          <button
            type="button"
            className="min-w-0 text-left hover:underline"
            {...opening(waiting.task, waiting.run)}
          >
            <b className="font-mono text-ink">{waiting.task}</b>{" "}
            <span className="line-clamp-1 inline-block max-w-60 align-bottom">{task?.title}</span>
          </button>
        ) : (
          <b className="text-ink">
            {waiting.phase === null ? t("ask.ofRun") : t("ask.ofPhase", { n: waiting.phase })}
          </b>
        )}
        <span className="flex gap-1.5">
          {runTitle && <span className="max-w-40 truncate">{runTitle} ·</span>}
          {waiting.severity && (
            <b className="text-fail">
              {t("escalation.severity", { severity: t(`severity.${waiting.severity}`) })} ·
            </b>
          )}
          <span>{t(`waiting.${item.type}`)} ·</span>
          <Ago at={waiting.sinceAt} />
        </span>
      </header>
      <AskedText level="h3" text={inWords(waiting)} />
      <WaitingForm waiting={waiting} />
      <p className="text-ask text-xs">
        <HoldsUp holdsUp={waiting.holdsUp} />
      </p>
    </article>
  );
}

export function WaitingForm({ waiting: { run, item } }: { waiting: InboxEntry }) {
  switch (item.type) {
    case "question":
      return <AskedQuestion run={run} id={item.id} />;
    case "request":
      return <AskedRequest run={run} id={item.id} />;
    case "gate":
      return <OpenGate run={run} phase={item.id} />;
    case "escalation":
      return <OpenEscalation run={run} id={item.id} />;
    case "plan":
      return <PlanForm run={run} offer={item.id} />;
    case "invocation":
      return null;
  }
}

function AskedQuestion({ run, id }: { run: string; id: string }) {
  const question = useRow(run, "question", id);
  return question ? <QuestionForm run={run} question={question} /> : null;
}

function AskedRequest({ run, id }: { run: string; id: string }) {
  const request = useRow(run, "request", id);
  return request ? <RequestForm run={run} request={request} /> : null;
}

function OpenGate({ run, phase }: { run: string; phase: number }) {
  const gate = useRow(run, "gate", String(phase));
  return gate ? <GateForm run={run} gate={gate} /> : null;
}

function OpenEscalation({ run, id }: { run: string; id: string }) {
  const escalation = useRow(run, "escalation", id);
  return escalation ? <EscalationForm run={run} escalation={escalation} /> : null;
}
