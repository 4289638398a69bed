import { useTranslation } from "react-i18next";
import type { TaskRow } from "~/api/generated";
import { useRows } from "~/api/hooks";
import type { UserAction } from "~/components/action";
import { useSendCommand } from "~/components/inbox/useSendCommand";
import TaskActionSheet from "~/components/TaskActionSheet";
import { availableTaskActions, type TaskAction } from "./availableTaskActions";
import { RetrySheet } from "./RetrySheet";

/** The actions that are available for a task. */
export function useTaskActions(
  run: string,
  task: TaskRow | undefined,
): { actions: UserAction[]; busy: boolean } {
  const { t } = useTranslation();
  const { send, busy } = useSendCommand(run);
  const team = Object.values(useRows(run, "agent", task !== undefined).data ?? {});
  const toAction = (action: TaskAction, { id: task, state }: TaskRow): UserAction => {
    const { type } = action;
    const isRestart = state !== "failed";
    switch (type) {
      case "pause":
        return { id: type, name: t("action.pause"), perform: () => void send({ pauseTask: task }) };
      case "continue":
        return { id: type, name: t("action.continue"), perform: () => void send({ continueTask: task }) };
      case "retry":
        return {
          id: type,
          name: t(isRestart ? "action.restart" : "action.retry"),
          confirm: (onClose) => <RetrySheet run={run} task={task} isRestart={isRestart} onClose={onClose} />,
        };
      case "priority":
        return {
          id: `${type}/${action.priority}`,
          name: t(`priority.${action.priority}`),
          group: t("task.priority"),
          isSelected: action.isSelected,
          perform: () =>
            void send({ prioritizeTask: { task, priority: action.priority } }, t("task.prioritized")),
        };
      case "reassign":
        return {
          id: `${type}/${action.agent}`,
          name: action.agent,
          group: t("task.reassign"),
          perform: () => void send({ reassignTask: { task, agent: action.agent } }, t("task.reassigned")),
        };
      case "checkpoint":
        return {
          id: type,
          name: t("action.checkpoint"),
          perform: () => void send({ createCheckpoint: task }, t("task.checkpointed")),
        };
      case "skip":
      case "cancel":
        return {
          id: type,
          name: `${t(`taskAction.${type}.name`)}…`,
          isDanger: type === "cancel",
          confirm: (onClose) => (
            <TaskActionSheet
              run={run}
              task={task}
              action={type}
              command={type === "skip" ? { skipTask: task } : { cancelTask: task }}
              onClose={onClose}
            />
          ),
        };
    }
  };
  const actions = task ? availableTaskActions(task, team).map((action) => toAction(action, task)) : [];
  return { actions, busy };
}
