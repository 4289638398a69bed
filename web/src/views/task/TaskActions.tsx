import { Pause, Play, RotateCcw } from "lucide-react";
import type { ReactNode } from "react";
import type { TaskRow } from "~/api/generated";
import { ActionMenu } from "~/components/ActionMenu";
import { useBegin } from "~/components/action";
import { Button } from "~/components/Button";
import { useTaskActions } from "./useTaskActions";

/** What is done most often has a button of its own. */
const BUTTONS: Record<string, ReactNode> = {
  pause: <Pause aria-hidden size={14} />,
  continue: <Play aria-hidden size={14} />,
  retry: <RotateCcw aria-hidden size={14} />,
};

/** What can be done with a task. */
export function TaskActions({ run, task }: { run: string; task: TaskRow }) {
  const { actions, busy } = useTaskActions(run, task);
  const { begin, sheet } = useBegin();
  return (
    <div className="flex gap-1.5">
      {actions
        .filter(({ id }) => id in BUTTONS)
        .map((action) => (
          <Button
            key={action.id}
            disabled={busy && "act" in action}
            icon={BUTTONS[action.id]}
            onClick={() => begin(action)}
          >
            {action.name}
          </Button>
        ))}
      <ActionMenu actions={actions.filter(({ id }) => !(id in BUTTONS))} />
      {sheet}
    </div>
  );
}
