import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { InboxEntry, RowOf } from "~/api/generated";
import { useRow, useRows } from "~/api/hooks";
import { ErrorLine } from "~/components/ErrorLine";
import { EscalationForm } from "./EscalationForm";
import { GateForm } from "./GateForm";
import { ItemFrame } from "./ItemFrame";
import { PlanChangeForm } from "./PlanChangeForm";
import { QuestionForm } from "./QuestionForm";
import { RequestForm } from "./RequestForm";

/** The name of an entry's kind, e.g. "API key request". */
export function useEntryKindName({ run, item }: InboxEntry): string {
  const { t } = useTranslation();
  const request = useRow(run, "request", item.type === "request" ? item.id : null);
  return request ? t(`requestKind.${request.type}`) : t(`inboxKind.${item.type}`);
}

/** The form that settles an item. */
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
      return <ItemFrame details={null} answer={null} />;
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
        <ItemFrame
          details={
            <p role="status" className="text-soft">
              {t("page.loading")}…
            </p>
          }
          answer={null}
        />
      );
    case "error":
      return (
        <ItemFrame
          details={<ErrorLine error={rows.error} retry={() => void rows.refetch()} />}
          answer={null}
        />
      );
    // The row, or the end of the entry, is about to arrive over the stream.
    case "success":
      return <ItemFrame details={null} answer={null} />;
  }
}
