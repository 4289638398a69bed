import type { AgentRow, Priority, Role, TaskAction, TaskRow } from "~/api/generated";

/** Actions that are offered where their objects are: messages with the output, checkpoints with the attempts. */
type ActionElsewhere = "sendMessage" | "rewind";

export type TaskMenuItem =
  | { type: Exclude<TaskAction, ActionElsewhere | "prioritize" | "reassign"> }
  | { type: "prioritize"; priority: Priority; isSelected: boolean }
  | { type: "reassign"; agent: string; role: Role };

const PRIORITIES: readonly Priority[] = ["critical", "high", "normal", "low"];

type TaskChoices = Pick<TaskRow, "priority" | "agent">;
type Member = Pick<AgentRow, "name" | "role">;

/** The menu of a task: its allowed actions, with their choices. */
export function taskMenu(task: TaskChoices & Pick<TaskRow, "actions">, team: readonly Member[]) {
  return task.actions.flatMap((action) => toMenuItems(action, task, team));
}

function toMenuItems(action: TaskAction, task: TaskChoices, team: readonly Member[]): TaskMenuItem[] {
  switch (action) {
    case "prioritize":
      return PRIORITIES.map((priority) => ({
        type: action,
        priority,
        isSelected: priority === task.priority,
      }));
    case "reassign":
      return otherMembers(task, team).map(({ name, role }) => ({ type: action, agent: name, role }));
    case "sendMessage":
    case "rewind":
      return [];
    case "pause":
    case "continue":
    case "retry":
    case "createCheckpoint":
    case "skip":
    case "cancel":
      return [{ type: action }];
  }
}

/** The members that can get the task: all but its agent, whatever their roles. */
function otherMembers({ agent }: TaskChoices, team: readonly Member[]): Member[] {
  return team.length <= 1 ? [] : team.filter(({ name }) => name !== agent);
}
