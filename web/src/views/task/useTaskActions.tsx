import { useTranslation } from "react-i18next";
import type { TaskRow } from "~/api/generated";
import { useRows } from "~/api/hooks";
import type { Action } from "~/components/action";
import { useAct } from "~/components/ask/useAct";
import TaskSheet from "~/components/TaskSheet";
import { RetrySheet } from "./RetrySheet";
import { type TaskAct, toTaskActs } from "./toTaskActs";

/** What can be done with a task now. */
export function useTaskActions(run: string, task: TaskRow | undefined): { actions: Action[]; busy: boolean } {
  const { t } = useTranslation();
  const { act, busy } = useAct(run);
  const team = Object.values(useRows(run, "agent", task !== undefined).data ?? {});
  const toAction = (what: TaskAct, task: string): Action => {
    const { type } = what;
    switch (type) {
      case "pause":
        return { id: type, name: t("action.pause"), act: () => void act({ pauseTask: task }) };
      case "continue":
        return { id: type, name: t("action.continue"), act: () => void act({ continueTask: task }) };
      case "retry":
        return {
          id: type,
          name: t("action.retry"),
          ask: (onClose) => <RetrySheet run={run} task={task} onClose={onClose} />,
        };
      case "priority":
        return {
          id: `${type}/${what.priority}`,
          name: t(`priority.${what.priority}`),
          group: t("task.priority"),
          isOn: what.isOn,
          act: () => void act({ prioritizeTask: { task, priority: what.priority } }, t("task.prioritized")),
        };
      case "giveTo":
        return {
          id: `${type}/${what.agent}`,
          name: what.agent,
          group: t("task.giveTo"),
          act: () => void act({ reassignTask: { task, agent: what.agent } }, t("task.reassigned")),
        };
      case "checkpoint":
        return {
          id: type,
          name: t("action.checkpoint"),
          act: () => void act({ createCheckpoint: task }, t("task.checkpointed")),
        };
      case "skip":
      case "cancel":
        return {
          id: type,
          name: `${t(`taskAct.${type}.name`)}…`,
          isDanger: type === "cancel",
          ask: (onClose) => (
            <TaskSheet
              run={run}
              task={task}
              act={type}
              what={type === "skip" ? { skipTask: task } : { cancelTask: task }}
              onClose={onClose}
            />
          ),
        };
    }
  };
  const actions = task ? toTaskActs(task, team).map((what) => toAction(what, task.id)) : [];
  return { actions, busy };
}
