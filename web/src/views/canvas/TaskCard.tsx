import { Handle, type NodeProps, Position, useStore } from "@xyflow/react";
import { memo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { TaskRow } from "~/api/generated";
import { useRowByKey } from "~/api/rowSubscriptions";
import { marksText } from "~/components/marks";
import { QuestionLine } from "~/components/QuestionLine";
import { useQuestionSummary } from "~/components/questionSummary";
import { TaskStateLabel } from "~/components/StateLabel";
import { displayState, EDGE_COLORS, FILL_COLORS, STATE_STYLES, waitsForPerson } from "~/components/state";
import { Duration } from "~/components/Time";
import type { TaskNode } from "./toGraph";

/** Below this zoom a task is not readable, and only its color is shown. */
const READABLE_ZOOM = 0.35;

/** A task on the canvas. It is rendered again only when its own row changes. */
export const TaskCard = memo(function TaskCard({ id, data, selected }: NodeProps<TaskNode>) {
  const isFar = useStore((flow) => flow.transform[2] < READABLE_ZOOM);
  const task = useRowByKey(data.run, "task", id);
  const marks = [
    data.isCritical ? "outline-2 outline-ink outline-offset-2" : "",
    selected || data.isFound ? "outline-2 outline-accent! outline-offset-2" : "",
  ].join(" ");
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {task ? (
        isFar ? (
          <div
            className={`relative size-full rounded-lg ${FILL_COLORS[STATE_STYLES[displayState(task)].tone]} ${marks}`}
          >
            {waitsForPerson(task) && <ZoomedOutIcon task={task} />}
          </div>
        ) : (
          <ReadableCard
            run={data.run}
            task={task}
            marks={marks}
            isSelected={selected}
            overlaps={data.overlaps}
          />
        )
      ) : (
        <div className="size-full rounded-lg border border-line bg-panel" />
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
});

/** The size of the icon on the screen, at any zoom. */
const ICON_PX = 16;

/** Marks a task that waits for a person, for people who do not see colors. */
function ZoomedOutIcon({ task }: { task: TaskRow }) {
  const size = useStore((flow) => Math.round(ICON_PX / flow.transform[2]));
  const { icon: Icon } = STATE_STYLES[displayState(task)];
  return (
    <Icon
      aria-hidden
      data-zoomed-out={task.id}
      size={size}
      className="-translate-x-1/2 -translate-y-1/2 absolute top-1/2 left-1/2 rounded-full bg-ask-soft text-ask"
    />
  );
}

type ReadableCardProps = {
  run: string;
  task: TaskRow;
  marks: string;
  isSelected: boolean;
  overlaps: readonly string[];
};

function ReadableCard({ run, task, marks, isSelected, overlaps }: ReadableCardProps) {
  const { tone } = STATE_STYLES[displayState(task)];
  const border =
    tone === "ask" ? "border-ask-line shadow-[0_0_0_2px_var(--ask-line)]" : "border-line shadow-xs";
  return (
    // biome-ignore lint/a11y/useSemanticElements: React Flow cannot pan by dragging a button.
    <div
      role="button"
      tabIndex={isSelected ? 0 : -1}
      data-task={task.id}
      className={`flex size-full flex-col rounded-lg border border-l-[3px] bg-panel px-2.5 pt-1 pb-1 text-left ${EDGE_COLORS[tone]} ${border} ${marks}`}
    >
      <div className="flex items-center justify-between gap-2 text-soft text-xs">
        <code className="font-mono font-semibold">{task.id}</code>
        <span className="flex items-center gap-1">
          {isInProgress(task) && <Duration from={task.stateSinceAt} to={null} />}
          <TaskStateLabel task={task} />
        </span>
      </div>
      <b title={task.title} className="line-clamp-2 shrink-0 font-semibold leading-[1.2]">
        {task.title}
      </b>
      <TaskDetailLine run={run} task={task} overlaps={overlaps} />
      {task.state === "running" && (
        <div className="mt-auto h-[3px] overflow-hidden rounded-full bg-line">
          {task.progress !== null && (
            <div
              className="h-full rounded-full bg-run"
              style={{ width: `${Math.round(task.progress * 100)}%` }}
            />
          )}
        </div>
      )}
    </div>
  );
}

/** The most important detail: the question, the overlap, the dependencies, the current step, or the agent. */
function TaskDetailLine({
  run,
  task,
  overlaps,
}: Pick<ReadableCardProps, "run" | "task" | "overlaps">): ReactNode {
  const { t } = useTranslation();
  const question = useQuestionSummary(run, task);
  if (question) return <QuestionLine question={question} className="mt-0.5 truncate rounded-md px-1.5" />;
  if (overlaps.length > 0) {
    return (
      <span className="truncate text-fail text-xs">
        {t("canvas.overlaps", { names: overlaps.join(", ") })}
      </span>
    );
  }
  const dependencies = task.waitsFor.map((dependency) => dependencyName(dependency, t));
  const text =
    task.state === "waiting" && dependencies.length > 0
      ? t("canvas.waitsFor", {
          names: dependencies.slice(0, 3).join(", ") + (task.nWaitsFor > 3 ? " …" : ""),
        })
      : task.state === "running" && task.step
        ? task.step
        : // The marks are first, because the end may be cut off.
          [marksText(t, task.marks), task.agent, task.attempt > 1 && t("canvas.attempt", { n: task.attempt })]
            .filter(Boolean)
            .join(" · ");
  return (
    <span title={text} className="truncate text-soft text-xs">
      {text || " "}
    </span>
  );
}

function dependencyName(
  dependency: TaskRow["waitsFor"][number],
  t: (key: string, values: { n: number }) => string,
): string {
  switch (dependency.type) {
    case "task":
      return dependency.task;
    case "phase":
      return t("canvas.phase", { n: dependency.phase });
    case "external":
      return dependency.name;
  }
}

/** Whether the time in the current state is of interest. */
function isInProgress({ state }: TaskRow): boolean {
  return state === "running" || state === "blocked" || state === "checking" || state === "merging";
}
