import { draggable } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { Menu } from "@base-ui/react/menu";
import { EllipsisVertical } from "lucide-react";
import { memo, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Priority, TaskRow } from "~/api/generated";
import { marksText } from "~/components/marks";
import { useOpenTask } from "~/components/navigation";
import { QuestionLine } from "~/components/QuestionLine";
import { useQuestionSummary } from "~/components/questionSummary";
import { TaskStateLabel } from "~/components/StateLabel";
import { displayState, EDGE_COLORS, STATE_STYLES } from "~/components/state";
import { TimeAgo } from "~/components/Time";
import { cardData } from "./drag";
import { PRIORITIES } from "./toBoard";

type PriorityHandler = (task: string, priority: Priority) => void;
type Props = { run: string; task: TaskRow; isDraggable?: boolean; onPriority: PriorityHandler };

/** A task on the board. A double-click or Enter opens it. */
export const BoardCard = memo(function BoardCard({ run, task, isDraggable = false, onPriority }: Props) {
  const open = useOpenTask();
  const card = useRef<HTMLDivElement>(null);
  const [isDragged, setIsDragged] = useState(false);
  const canPrioritize = task.actions.includes("prioritize");
  useEffect(() => {
    if (!card.current || !isDraggable || !canPrioritize) return;
    return draggable({
      element: card.current,
      getInitialData: () => cardData(task.id, task.priority),
      onDragStart: () => setIsDragged(true),
      onDrop: () => setIsDragged(false),
    });
  }, [task.id, task.priority, isDraggable, canPrioritize]);
  const { tone } = STATE_STYLES[displayState(task)];
  const border = tone === "ask" ? "border-ask-line" : "border-line";
  return (
    <div
      ref={card}
      className={`relative rounded-lg border border-l-[3px] bg-panel ${border} ${EDGE_COLORS[tone]} ${isDragged ? "opacity-40" : ""}`}
    >
      <button
        type="button"
        data-task={task.id}
        onClick={() => open(task.id)}
        className="flex w-full flex-col gap-0.5 rounded-lg px-2.5 py-2 text-left hover:bg-page/50"
      >
        <span className="flex items-center gap-2 text-soft text-xs">
          <code className="font-mono font-semibold">{task.id}</code>
          <span className="min-w-0 flex-1 truncate">{task.agent}</span>
          <span className={canPrioritize ? "mr-5" : ""}>
            <TaskStateLabel task={task} />
          </span>
        </span>
        <b className="line-clamp-2 font-semibold">{task.title}</b>
        <CardDetail run={run} task={task} />
      </button>
      {canPrioritize && <PriorityMenu task={task} onPriority={onPriority} />}
    </div>
  );
});

function CardDetail({ run, task }: { run: string; task: TaskRow }) {
  const { t } = useTranslation();
  const question = useQuestionSummary(run, task);
  if (question) return <QuestionLine question={question} className="line-clamp-2 rounded-md px-1.5 py-0.5" />;
  if (task.state === "running") {
    return (
      <>
        {task.step && <span className="truncate text-soft text-xs">{task.step}</span>}
        {task.progress !== null && (
          <span className="mt-1 block h-[3px] overflow-hidden rounded-full bg-line">
            <span className="block h-full bg-run" style={{ width: `${Math.round(task.progress * 100)}%` }} />
          </span>
        )}
      </>
    );
  }
  if (task.state === "waiting") {
    const names = task.waitsFor.map((dependency) =>
      dependency.type === "task"
        ? dependency.task
        : dependency.type === "phase"
          ? t("canvas.phase", { n: dependency.phase })
          : dependency.name,
    );
    if (names.length === 0) return null;
    return (
      <span className="truncate text-faint text-xs">{t("canvas.waitsFor", { names: names.join(", ") })}</span>
    );
  }
  const marks = marksText(t, task.marks);
  return (
    <span className="text-faint text-xs">
      <TimeAgo at={task.stateSinceAt} />
      {marks !== "" && <span className="text-soft"> · {marks}</span>}
    </span>
  );
}

/** The same as dragging, for the keyboard. */
function PriorityMenu({ task, onPriority }: { task: TaskRow; onPriority: PriorityHandler }) {
  const { t } = useTranslation();
  const name = t("board.move", { task: task.id });
  return (
    <Menu.Root>
      <Menu.Trigger
        aria-label={name}
        title={name}
        className="absolute top-1 right-0.5 grid size-7 place-items-center rounded-md text-faint hover:bg-page hover:text-ink"
      >
        <EllipsisVertical size={14} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={2} className="z-30">
          <Menu.Popup className="min-w-36 rounded-xl border border-line bg-raise p-1 shadow-xl outline-none">
            <Menu.RadioGroup
              value={task.priority}
              onValueChange={(priority: Priority) => onPriority(task.id, priority)}
            >
              {PRIORITIES.map((priority) => (
                <Menu.RadioItem
                  key={priority}
                  value={priority}
                  closeOnClick
                  className="flex cursor-pointer justify-between gap-4 rounded-lg px-2.5 py-1.5 outline-none data-[highlighted]:bg-page"
                >
                  {t(`priority.${priority}`)}
                  <Menu.RadioItemIndicator>✓</Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
