import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { InboxEntry, RowOf } from "~/api/generated";
import { useRow, useRows } from "~/api/hooks";
import { ErrorLine } from "~/components/ErrorLine";
import { useLocalizedText } from "~/components/localizedText";
import { useFormCardOpenHandlers, useTaskOpenHandlers } from "~/components/openOnDoubleClick";
import { TimeAgo } from "~/components/Time";
import { BlockedWork } from "./BlockedWork";
import { EscalationForm } from "./EscalationForm";
import { GateForm } from "./GateForm";
import { PlanChangeForm } from "./PlanChangeForm";
import { QuestionForm } from "./QuestionForm";
import { QuestionText } from "./QuestionText";
import { RequestForm } from "./RequestForm";

type Props = { entry: InboxEntry; isSelected?: boolean; showsRun?: boolean };

/** An inbox entry: what it is about, what it blocks, and the form to settle it. */
export function InboxCard({ entry, isSelected = false, showsRun = false }: Props) {
  const { t } = useTranslation();
  const localize = useLocalizedText();
  const taskHandlers = useTaskOpenHandlers();
  const cardHandlers = useFormCardOpenHandlers();
  const kind = useEntryKindName(entry);
  const task = useRow(entry.run, "task", entry.task);
  const runTitle = useRow(entry.run, "run", showsRun ? "run" : null)?.title;
  return (
    <article
      data-entry={`${entry.run}/${entry.item.id}`}
      aria-label={localize(entry)}
      {...cardHandlers(entry.task, entry.run)}
      className={`flex flex-col gap-2 rounded-xl border bg-ask-soft px-3.5 py-3 ${isSelected ? "border-ask-fill ring-1 ring-ask-fill" : "border-ask-line"}`}
    >
      <header className="flex flex-wrap items-baseline justify-between gap-x-3 text-soft text-xs">
        {entry.task ? (
          <button
            type="button"
            className="min-w-0 text-left hover:underline"
            {...taskHandlers(entry.task, entry.run)}
          >
            <b className="font-mono text-ink">{entry.task}</b>{" "}
            <span className="line-clamp-1 inline-block max-w-60 align-bottom">{task?.title}</span>
          </button>
        ) : (
          <b className="text-ink">
            {entry.phase === null ? t("inboxItem.aboutRun") : t("inboxItem.aboutPhase", { n: entry.phase })}
          </b>
        )}
        <span className="flex gap-1.5">
          {runTitle && <span className="max-w-40 truncate">{runTitle} ·</span>}
          {entry.severity && <b className="text-fail">{t(`severity.${entry.severity}`)} ·</b>}
          <span>{kind} ·</span>
          <TimeAgo at={entry.sinceAt} />
        </span>
      </header>
      <QuestionText level="h3" text={localize(entry)} />
      <InboxForm entry={entry} />
      <BlockedWork blocks={entry.blocks} />
    </article>
  );
}

/** The name of an entry's kind, e.g. "API key request". */
export function useEntryKindName({ run, item }: InboxEntry): string {
  const { t } = useTranslation();
  const request = useRow(run, "request", item.type === "request" ? item.id : null);
  return request ? t(`requestKind.${request.type}`) : t(`inboxKind.${item.type}`);
}

export function InboxForm({ entry: { run, item, actions, equalTasks } }: { entry: InboxEntry }) {
  switch (item.type) {
    case "question":
      return (
        <RowLoader run={run} kind="question" id={item.id}>
          {(question) => (
            <QuestionForm run={run} question={question} actions={actions} equalTasks={equalTasks} />
          )}
        </RowLoader>
      );
    case "request":
      return (
        <RowLoader run={run} kind="request" id={item.id}>
          {(request) => <RequestForm run={run} request={request} actions={actions} />}
        </RowLoader>
      );
    case "gate":
      return (
        <RowLoader run={run} kind="gate" id={String(item.id)}>
          {(gate) => <GateForm run={run} gate={gate} actions={actions} />}
        </RowLoader>
      );
    case "escalation":
      return (
        <RowLoader run={run} kind="escalation" id={item.id}>
          {(escalation) => <EscalationForm run={run} escalation={escalation} actions={actions} />}
        </RowLoader>
      );
    case "plan":
      return <PlanChangeForm run={run} offer={item.id} actions={actions} />;
    case "invocation":
      return null;
  }
}

type AnswerableKind = "question" | "request" | "gate" | "escalation";

type RowLoaderProps<K extends AnswerableKind> = {
  run: string;
  kind: K;
  id: string;
  children: (row: RowOf[K]) => ReactNode;
};

/** Renders its children with a row, or its loading state or error. */
function RowLoader<K extends AnswerableKind>({ run, kind, id, children }: RowLoaderProps<K>) {
  const { t } = useTranslation();
  const rows = useRows(run, kind);
  const row = rows.data?.[id];
  if (row) return children(row);
  switch (rows.status) {
    case "pending":
      return (
        <p role="status" className="text-soft">
          {t("page.loading")}…
        </p>
      );
    case "error":
      return <ErrorLine error={rows.error} retry={() => void rows.refetch()} />;
    // The row, or the end of the entry, is about to arrive over the stream.
    case "success":
      return null;
  }
}
