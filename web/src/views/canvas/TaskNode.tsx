import { Handle, type NodeProps, Position, useStore } from "@xyflow/react";
import { memo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { TaskRow } from "~/api/generated";
import { useKeyedRow } from "~/api/keyed";
import { AskedLine } from "~/components/AskedLine";
import { useAsked } from "~/components/asked";
import { StateSign } from "~/components/StateSign";
import { EDGE, FILL, SIGNS, shownState, waitsForPerson } from "~/components/state";
import { Lasted } from "~/components/Time";
import type { TaskNode } from "./toGraph";

/** Below this nobody can read a task, so that it is a colour only. */
const READABLE_ZOOM = 0.35;

/** A task on the canvas. It is drawn anew when its own row changes, and not with the others. */
export const TaskCard = memo(function TaskCard({ id, data, selected }: NodeProps<TaskNode>) {
  const isFar = useStore((flow) => flow.transform[2] < READABLE_ZOOM);
  const task = useKeyedRow(data.run, "task", id);
  const marks = [
    data.isCritical ? "outline-2 outline-ink outline-offset-2" : "",
    selected || data.isFound ? "outline-2 outline-accent! outline-offset-2" : "",
  ].join(" ");
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {task ? (
        isFar ? (
          <div className={`relative size-full rounded-lg ${FILL[SIGNS[shownState(task)].tone]} ${marks}`}>
            {waitsForPerson(task) && <FarSign task={task} />}
          </div>
        ) : (
          <Card run={data.run} task={task} marks={marks} isChosen={selected} overlaps={data.overlaps} />
        )
      ) : (
        <div className="size-full rounded-lg border border-line bg-panel" />
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
});

/** So large a sign is seen on the screen, from however far. */
const SIGN_PX = 16;

/** What waits for a person is found without colours, too. */
function FarSign({ task }: { task: TaskRow }) {
  const size = useStore((flow) => Math.round(SIGN_PX / flow.transform[2]));
  const { icon: Icon } = SIGNS[shownState(task)];
  return (
    <Icon
      aria-hidden
      data-far={task.id}
      size={size}
      className="-translate-x-1/2 -translate-y-1/2 absolute top-1/2 left-1/2 rounded-full bg-ask-soft text-ask"
    />
  );
}

type CardProps = {
  run: string;
  task: TaskRow;
  marks: string;
  isChosen: boolean;
  overlaps: readonly string[];
};

function Card({ run, task, marks, isChosen, overlaps }: CardProps) {
  const { tone } = SIGNS[shownState(task)];
  const border =
    tone === "ask" ? "border-ask-line shadow-[0_0_0_2px_var(--ask-line)]" : "border-line shadow-xs";
  return (
    // biome-ignore lint/a11y/useSemanticElements: React Flow needs a box that can be dragged over, and a button is none.
    <div
      role="button"
      tabIndex={isChosen ? 0 : -1}
      data-task={task.id}
      className={`flex size-full flex-col rounded-lg border border-l-[3px] bg-panel px-2.5 pt-1.5 pb-2 text-left ${EDGE[tone]} ${border} ${marks}`}
    >
      <div className="flex items-center justify-between gap-2 text-soft text-xs">
        <code className="font-mono font-semibold">{task.id}</code>
        <span className="flex items-center gap-1">
          {isMoving(task) && <Lasted from={task.stateSinceAt} to={null} />}
          <StateSign task={task} />
        </span>
      </div>
      <b className="truncate font-semibold">{task.title}</b>
      <LastLine run={run} task={task} overlaps={overlaps} />
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

/** What one wants to know most: what is asked, what it waits for, what is being done, who does it. */
function LastLine({ run, task, overlaps }: Pick<CardProps, "run" | "task" | "overlaps">): ReactNode {
  const { t } = useTranslation();
  const asked = useAsked(run, task);
  if (asked) return <AskedLine asked={asked} look="mt-0.5 truncate rounded-md px-1.5" />;
  if (overlaps.length > 0) {
    return (
      <span className="truncate text-fail text-xs">
        {t("canvas.overlaps", { names: overlaps.join(", ") })}
      </span>
    );
  }
  const waits = task.waitsFor.map((wait) => waitName(wait, t));
  const words =
    task.state === "waiting" && waits.length > 0
      ? t("canvas.waitsFor", { names: waits.slice(0, 3).join(", ") + (task.nWaitsFor > 3 ? " …" : "") })
      : task.state === "running" && task.step
        ? task.step
        : [task.agent, task.attempt > 1 && t("canvas.attempt", { n: task.attempt })]
            .filter(Boolean)
            .join(" · ");
  return <span className="truncate text-soft text-xs">{words || " "}</span>;
}

function waitName(
  wait: TaskRow["waitsFor"][number],
  t: (key: string, values: { n: number }) => string,
): string {
  switch (wait.type) {
    case "task":
      return wait.task;
    case "phase":
      return t("canvas.phase", { n: wait.phase });
    case "external":
      return wait.name;
  }
}

/** Tells whether it matters how long a task stands as it does. */
function isMoving({ state }: TaskRow): boolean {
  return state === "running" || state === "blocked" || state === "checking" || state === "merging";
}
