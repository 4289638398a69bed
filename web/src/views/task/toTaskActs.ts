import type { AgentRow, Priority, TaskRow } from "~/api/generated";
import { shownState } from "~/components/state";
import { canCheckpoint, canRetry, isClosed } from "./can";

export type TaskAct =
  | { type: "pause" | "continue" | "retry" | "checkpoint" | "skip" | "cancel" }
  | { type: "priority"; priority: Priority; isOn: boolean }
  | { type: "giveTo"; agent: string };

const PRIORITIES: readonly Priority[] = ["critical", "high", "normal", "low"];

type Standing = Pick<TaskRow, "state" | "attempt" | "blocked" | "priority" | "agent">;

/** What can be done with a task as it stands, and with the team that there is. */
export function toTaskActs(task: Standing, team: readonly Pick<AgentRow, "name" | "role">[]): TaskAct[] {
  const isOver = isClosed(task) || task.state === "failed";
  const others =
    team.length > 1
      ? team.filter(({ name, role }) => (role === "worker" || role === "specialist") && name !== task.agent)
      : [];
  const when = (can: boolean, ...acts: TaskAct[]) => (can ? acts : []);
  return [
    ...when(!isOver, { type: shownState(task) === "paused" ? "continue" : "pause" }),
    ...when(canRetry(task), { type: "retry" }),
    ...when(
      !isOver,
      ...PRIORITIES.map(
        (priority) => ({ type: "priority", priority, isOn: priority === task.priority }) as const,
      ),
      ...others.map(({ name }) => ({ type: "giveTo", agent: name }) as const),
    ),
    ...when(canCheckpoint(task), { type: "checkpoint" }),
    ...when(!isClosed(task), { type: "skip" }, { type: "cancel" }),
  ];
}
