import type { AgentRow, Priority, TaskRow } from "~/api/generated";
import { displayState } from "~/components/state";
import { canCreateCheckpoint, canRetry, isClosed } from "./taskConditions";

export type TaskAction =
  | { type: "pause" | "continue" | "retry" | "checkpoint" | "skip" | "cancel" }
  | { type: "priority"; priority: Priority; isSelected: boolean }
  | { type: "reassign"; agent: string };

const PRIORITIES: readonly Priority[] = ["critical", "high", "normal", "low"];

type TaskStatus = Pick<TaskRow, "state" | "attempt" | "blocked" | "priority" | "agent">;

/** The actions that the server would accept for a task in this state, with this team. */
export function availableTaskActions(
  task: TaskStatus,
  team: readonly Pick<AgentRow, "name" | "role">[],
): TaskAction[] {
  const hasEnded = isClosed(task) || task.state === "failed";
  const others =
    team.length > 1
      ? team.filter(({ name, role }) => (role === "worker" || role === "specialist") && name !== task.agent)
      : [];
  const when = (condition: boolean, ...actions: TaskAction[]) => (condition ? actions : []);
  return [
    ...when(!hasEnded, { type: displayState(task) === "paused" ? "continue" : "pause" }),
    ...when(canRetry(task), { type: "retry" }),
    ...when(
      !hasEnded,
      ...PRIORITIES.map(
        (priority) => ({ type: "priority", priority, isSelected: priority === task.priority }) as const,
      ),
      ...others.map(({ name }) => ({ type: "reassign", agent: name }) as const),
    ),
    ...when(canCreateCheckpoint(task), { type: "checkpoint" }),
    ...when(!isClosed(task), { type: "skip" }, { type: "cancel" }),
  ];
}
