import { Pause, Play, RotateCcw } from "lucide-react";
import type { ReactNode } from "react";
import type { TaskRow } from "~/api/generated";
import { ActionMenu } from "~/components/ActionMenu";
import { useActionStarter } from "~/components/action";
import { Button } from "~/components/Button";
import { useTaskActions } from "./useTaskActions";

/** Frequent actions have their own button; the others are in the menu. */
const BUTTONS: Record<string, ReactNode> = {
  pause: <Pause aria-hidden size={14} />,
  continue: <Play aria-hidden size={14} />,
  retry: <RotateCcw aria-hidden size={14} />,
};

export function TaskActions({ run, task }: { run: string; task: TaskRow }) {
  const { actions, busy } = useTaskActions(run, task);
  const { start, sheet } = useActionStarter();
  return (
    <div className="flex gap-1.5">
      {actions
        .filter(({ id }) => id in BUTTONS)
        .map((action) => (
          <Button
            key={action.id}
            disabled={busy && "perform" in action}
            icon={BUTTONS[action.id]}
            onClick={() => start(action)}
          >
            {action.name}
          </Button>
        ))}
      <ActionMenu actions={actions.filter(({ id }) => !(id in BUTTONS))} />
      {sheet}
    </div>
  );
}
