import { Menu } from "@base-ui/react/menu";
import { Ellipsis, Pause, Play, RotateCcw } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Priority, TaskRow } from "~/api/generated";
import { useRows } from "~/api/hooks";
import { useAct } from "~/components/ask/useAct";
import { Button } from "~/components/Button";
import { shownState } from "~/components/state";
import TaskSheet from "~/components/TaskSheet";
import { canCheckpoint, canRetry, isClosed } from "./can";
import { RetrySheet } from "./RetrySheet";

const PRIORITIES: readonly Priority[] = ["critical", "high", "normal", "low"];
const ITEM = "cursor-pointer rounded-lg px-2.5 py-1.5 outline-none data-[highlighted]:bg-page";

/** What can be done with a task. */
export function TaskActions({ run, task }: { run: string; task: TaskRow }) {
  const { t } = useTranslation();
  const { act, busy } = useAct(run);
  const [asked, setAsked] = useState<"skip" | "cancel" | null>(null);
  const [retries, setRetries] = useState(false);
  const agents = useRows(run, "agent").data ?? {};
  const isOver = isClosed(task) || task.state === "failed";
  const isPaused = shownState(task) === "paused";
  return (
    <div className="flex gap-1.5">
      {!isOver && (
        <Button
          disabled={busy}
          icon={isPaused ? <Play aria-hidden size={14} /> : <Pause aria-hidden size={14} />}
          onClick={() => void act(isPaused ? { continueTask: task.id } : { pauseTask: task.id })}
        >
          {t(isPaused ? "action.continue" : "action.pause")}
        </Button>
      )}
      {canRetry(task) && (
        <Button icon={<RotateCcw aria-hidden size={14} />} onClick={() => setRetries(true)}>
          {t("action.retry")}
        </Button>
      )}
      <Menu.Root>
        <Menu.Trigger render={<Button aria-label={t("action.more")} title={t("action.more")} />}>
          <Ellipsis aria-hidden size={15} />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner align="end" sideOffset={4} collisionPadding={8} className="z-50">
            <Menu.Popup className="min-w-52 rounded-xl border border-line bg-raise p-1 text-ink shadow-xl outline-none">
              {!isOver && (
                <Menu.RadioGroup
                  value={task.priority}
                  onValueChange={(priority) =>
                    void act({ prioritizeTask: { task: task.id, priority } }, t("task.prioritized"))
                  }
                >
                  <Title>{t("task.priority")}</Title>
                  {PRIORITIES.map((priority) => (
                    <Menu.RadioItem key={priority} value={priority} closeOnClick className={ITEM}>
                      {t(`priority.${priority}`)} {priority === task.priority && "✓"}
                    </Menu.RadioItem>
                  ))}
                </Menu.RadioGroup>
              )}
              {!isOver && Object.keys(agents).length > 1 && (
                <>
                  <Title>{t("task.giveTo")}</Title>
                  {Object.values(agents)
                    .filter((agent) => agent.role === "worker" || agent.role === "specialist")
                    .filter((agent) => agent.name !== task.agent)
                    .map((agent) => (
                      <Menu.Item
                        key={agent.name}
                        className={ITEM}
                        onClick={() =>
                          void act(
                            { reassignTask: { task: task.id, agent: agent.name } },
                            t("task.reassigned"),
                          )
                        }
                      >
                        {agent.name}
                      </Menu.Item>
                    ))}
                </>
              )}
              <Menu.Separator className="my-1 h-px bg-line" />
              {canCheckpoint(task) && (
                <Menu.Item
                  className={ITEM}
                  onClick={() => void act({ makeCheckpoint: task.id }, t("task.checkpointed"))}
                >
                  {t("action.checkpoint")}
                </Menu.Item>
              )}
              {!isClosed(task) && (
                <>
                  <Menu.Item className={ITEM} onClick={() => setAsked("skip")}>
                    {t("taskAct.skip.name")}…
                  </Menu.Item>
                  <Menu.Item className={`${ITEM} text-fail`} onClick={() => setAsked("cancel")}>
                    {t("taskAct.cancel.name")}…
                  </Menu.Item>
                </>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {asked && (
        <TaskSheet
          run={run}
          task={task.id}
          act={asked}
          what={asked === "skip" ? { skipTask: task.id } : { cancelTask: task.id }}
          onClose={() => setAsked(null)}
        />
      )}
      {retries && <RetrySheet run={run} task={task.id} onClose={() => setRetries(false)} />}
    </div>
  );
}

function Title({ children }: { children: ReactNode }) {
  return <p className="px-2.5 pt-2 pb-1 font-medium text-faint text-xs">{children}</p>;
}
