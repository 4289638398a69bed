import { Tabs } from "@base-ui/react/tabs";
import { useTranslation } from "react-i18next";
import { useRow, useRows } from "~/api/hooks";
import { Conversation } from "~/components/conversation/Conversation";
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

/** A session by itself, e.g. the orchestrator's or a called one: its open questions, its conversation, its output. */
export default function SessionPanel({ run, session: id, onClose }: Props) {
  const { t } = useTranslation();
  const openTask = useOpenTask();
  const rows = useRows(run, "session");
  const session = rows.data?.[id];
  const task = useRow(run, "task", session?.task);
  // Turns for a task are in the conversation of the task; levels that Jangdan plays itself have none.
  const hasOwnConversation = session !== undefined && session.task === null && session.agent !== null;
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
        {session && hasOwnConversation && (
          <Tabs.Root defaultValue="conversation" className="flex h-full flex-col">
            <Tabs.List className="flex shrink-0 gap-0.5 border-line border-b px-3 pt-1">
              {(["conversation", "output"] as const).map((name) => (
                <Tabs.Tab
                  key={name}
                  value={name}
                  className="whitespace-nowrap border-transparent border-b-2 px-3 py-2 font-medium text-soft hover:text-ink data-[active]:border-accent data-[active]:text-ink"
                >
                  {t(`taskTab.${name}`)}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <Tabs.Panel value="conversation" className="min-h-0 flex-1 overflow-auto">
              <Conversation run={run} of={id} />
            </Tabs.Panel>
            <Tabs.Panel value="output" className="min-h-0 flex-1 overflow-auto">
              <SessionOutput run={run} session={id} />
            </Tabs.Panel>
          </Tabs.Root>
        )}
        {session && !hasOwnConversation && <SessionOutput run={run} session={id} />}
      </div>
    </PanelDialog>
  );
}
