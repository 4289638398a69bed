import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { InboxEntry, RowOf } from "~/api/generated";
import { useRow, useRows } from "~/api/hooks";
import { useInWords } from "~/components/inWords";
import { useCardOpening, useOpening } from "~/components/opening";
import { ProblemLine } from "~/components/ProblemLine";
import { Ago } from "~/components/Time";
import { AskedText } from "./AskedText";
import { EscalationForm } from "./EscalationForm";
import { GateForm } from "./GateForm";
import { HoldsUp } from "./HoldsUp";
import { PlanForm } from "./PlanForm";
import { QuestionForm } from "./QuestionForm";
import { RequestForm } from "./RequestForm";

type Props = { waiting: InboxEntry; chosen?: boolean; namesRun?: boolean };

/** One thing that waits for a person: what it is, what it holds up, and how to settle it on the spot. */
export function WaitingCard({ waiting, chosen = false, namesRun = false }: Props) {
  const { t } = useTranslation();
  const inWords = useInWords();
  const opening = useOpening();
  const cardOpening = useCardOpening();
  const task = useRow(waiting.run, "task", waiting.task);
  const runTitle = useRow(waiting.run, "run", namesRun ? "run" : null)?.title;
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
      return (
        <Wanted run={run} kind="question" id={item.id}>
          {(question) => <QuestionForm run={run} question={question} />}
        </Wanted>
      );
    case "request":
      return (
        <Wanted run={run} kind="request" id={item.id}>
          {(request) => <RequestForm run={run} request={request} />}
        </Wanted>
      );
    case "gate":
      return (
        <Wanted run={run} kind="gate" id={String(item.id)}>
          {(gate) => <GateForm run={run} gate={gate} />}
        </Wanted>
      );
    case "escalation":
      return (
        <Wanted run={run} kind="escalation" id={item.id}>
          {(escalation) => <EscalationForm run={run} escalation={escalation} />}
        </Wanted>
      );
    case "plan":
      return <PlanForm run={run} offer={item.id} />;
    case "invocation":
      return null;
  }
}

/** What a person can settle. */
type Settled = "question" | "request" | "gate" | "escalation";

type WantedProps<K extends Settled> = {
  run: string;
  kind: K;
  id: string;
  children: (row: RowOf[K]) => ReactNode;
};

/** The row that something is settled with; until it is there, that it comes, or why not. */
function Wanted<K extends Settled>({ run, kind, id, children }: WantedProps<K>) {
  const { t } = useTranslation();
  const rows = useRows(run, kind);
  const row = rows.data?.[id];
  if (row) return children(row);
  switch (rows.status) {
    case "pending":
      return (
        <p role="status" className="text-soft">
          {t("said.loading")}…
        </p>
      );
    case "error":
      return <ProblemLine error={rows.error} retry={() => void rows.refetch()} />;
    // The stream tells of it in a moment, or of its end.
    case "success":
      return null;
  }
}
