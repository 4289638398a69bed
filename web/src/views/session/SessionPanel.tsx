import { useTranslation } from "react-i18next";
import { useRow, useRows } from "~/api/hooks";
import { ErrorMessage } from "~/components/ErrorMessage";
import { PendingItems } from "~/components/inbox/PendingItems";
import { Loading } from "~/components/Loading";
import { Notice } from "~/components/Notice";
import { useOpenTask } from "~/components/navigation";
import { SessionOutput } from "~/components/output/SessionOutput";
import { PanelDialog } from "~/components/PanelDialog";
import { TimeAgo } from "~/components/Time";
import { StopSessionButton } from "./StopSessionButton";

type Props = { run: string; session: string; onClose: () => void };

/** A session by itself, e.g. the orchestrator's or an ended one, with its open questions above its output. */
export default function SessionPanel({ run, session: id, onClose }: Props) {
  const { t } = useTranslation();
  const openTask = useOpenTask();
  const rows = useRows(run, "session");
  const session = rows.data?.[id];
  const task = useRow(run, "task", session?.task);
  return (
    <PanelDialog
      id={id}
      title={
        <>
          {session ? (session.agent ?? t("team.jangdan")) : id}
          {session && <span className="font-normal text-soft"> · {t(`role.${session.role}`)}</span>}
        </>
      }
      onClose={onClose}
      beside={
        <>
          {session && (
            <span className="rounded-full bg-page px-2.5 py-0.5 text-sm">
              {t(`sessionState.${session.park ?? session.state}`)} <span className="text-soft">·</span>{" "}
              <TimeAgo at={session.stateSinceAt} />
            </span>
          )}
          {session && <StopSessionButton run={run} session={session} />}
          {task && (
            <button
              type="button"
              onClick={() => openTask(task.id)}
              className="max-w-full truncate rounded-lg border border-line px-2.5 py-1 text-sm hover:border-faint"
            >
              <code className="font-mono font-semibold text-soft">{task.id}</code> {task.title}
            </button>
          )}
        </>
      }
    >
      {session && <PendingItems run={run} of={task ? { task: task.id } : { session: id }} />}
      <div className="min-h-0 flex-1 overflow-auto">
        {rows.status === "pending" && <Loading />}
        {rows.status === "error" && <ErrorMessage error={rows.error} retry={() => void rows.refetch()} />}
        {rows.status === "success" && !session && <Notice title={t("team.unknown", { session: id })} />}
        {session && <SessionOutput run={run} session={id} />}
      </div>
    </PanelDialog>
  );
}
