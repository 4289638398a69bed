import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { useRow, useRows } from "~/api/hooks";
import { Loading } from "~/components/Loading";
import { useOpenTask } from "~/components/open";
import { Problem } from "~/components/Problem";
import { Said } from "~/components/Said";
import { Ago } from "~/components/Time";
import { Asked } from "../task/Asked";
import { SessionOutput } from "./SessionOutput";

type Props = { run: string; session: string; onClose: () => void };

/** A session by itself: the orchestrator's, an operator's, one that is over. What its task asks stands above it. */
export default function SessionPanel({ run, session: id, onClose }: Props) {
  const { t } = useTranslation();
  const popup = useRef<HTMLDivElement>(null);
  const openTask = useOpenTask();
  const rows = useRows(run, "session");
  const session = rows.data?.[id];
  const task = useRow(run, "task", session?.task);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-black/40" />
        <Dialog.Popup
          ref={popup}
          initialFocus={() =>
            popup.current?.querySelector<HTMLElement>("[data-option], [data-answer]") ?? popup.current
          }
          className="fixed inset-0 z-30 m-auto flex h-full max-h-[min(860px,94dvh)] w-full max-w-[min(1160px,96vw)] flex-col overflow-hidden rounded-2xl border border-line bg-panel text-ink shadow-2xl outline-none max-md:max-h-dvh max-md:max-w-none max-md:rounded-none max-md:border-0"
        >
          <header className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-line border-b px-4 py-2.5 md:px-5">
            <code className="font-mono font-semibold text-soft">{id}</code>
            <Dialog.Title className="min-w-0 flex-1 truncate font-semibold text-[16px]">
              {session ? (session.agent ?? t("team.jangdan")) : id}
              {session && <span className="font-normal text-soft"> · {t(`role.${session.role}`)}</span>}
            </Dialog.Title>
            {session && (
              <span className="rounded-full bg-page px-2.5 py-0.5 text-sm">
                {t(`session.${session.park ?? session.state}`)} <span className="text-soft">·</span>{" "}
                <Ago at={session.stateSinceAt} />
              </span>
            )}
            {task && (
              <button
                type="button"
                onClick={() => openTask(task.id)}
                className="max-w-full truncate rounded-lg border border-line px-2.5 py-1 text-sm hover:border-faint"
              >
                <code className="font-mono font-semibold text-soft">{task.id}</code> {task.title}
              </button>
            )}
            <Dialog.Close
              aria-label={t("action.close")}
              className="grid size-8 shrink-0 place-items-center rounded-lg text-soft hover:bg-page max-md:size-10"
            >
              <X size={17} />
            </Dialog.Close>
          </header>
          {task && <Asked run={run} task={task.id} />}
          <div className="min-h-0 flex-1 overflow-auto">
            {rows.status === "pending" && <Loading />}
            {rows.status === "error" && <Problem error={rows.error} retry={() => void rows.refetch()} />}
            {rows.status === "success" && !session && <Said title={t("team.unknown", { session: id })} />}
            {session && <SessionOutput run={run} session={id} />}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
