import { useTranslation } from "react-i18next";
import type { TaskRow } from "~/api/generated";
import { useRows } from "~/api/hooks";
import type { UserAction } from "~/components/action";
import { useSendCommand } from "~/components/inbox/useSendCommand";
import TaskActionSheet from "~/components/TaskActionSheet";
import { RetrySheet } from "./RetrySheet";
import { type TaskMenuItem, taskMenu } from "./taskMenu";

/** The actions that are available for a task. */
export function useTaskActions(
  run: string,
  task: TaskRow | undefined,
): { actions: UserAction[]; busy: boolean } {
  const { t } = useTranslation();
  const { send, busy } = useSendCommand(run);
  const team = Object.values(useRows(run, "agent", task !== undefined).data ?? {});
  const toAction = (item: TaskMenuItem, { id: task, endedAt }: TaskRow): UserAction => {
    const { type } = item;
    const isRestart = endedAt === null;
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
      case "prioritize":
        return {
          id: `${type}/${item.priority}`,
          name: t(`priority.${item.priority}`),
          group: t("task.priority"),
          isSelected: item.isSelected,
          perform: () =>
            void send({ prioritizeTask: { task, priority: item.priority } }, t("task.prioritized")),
        };
      case "reassign":
        return {
          id: `${type}/${item.agent}`,
          name: item.role === "worker" ? item.agent : `${item.agent} · ${t(`role.${item.role}`)}`,
          group: t("task.reassign"),
          perform: () => void send({ reassignTask: { task, agent: item.agent } }, t("task.reassigned")),
        };
      case "createCheckpoint":
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
  const actions = task ? taskMenu(task, team).map((item) => toAction(item, task)) : [];
  return { actions, busy };
}
