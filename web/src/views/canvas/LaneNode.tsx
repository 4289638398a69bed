import { type NodeProps, useStore } from "@xyflow/react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { useKeyedRow } from "~/api/keyed";
import type { LaneNode } from "./toGraph";

/** Titles get no smaller than this part of their size, however far away one looks. */
const TITLE_SCALE_MAX = 4;

/** A phase: a strip behind its tasks, with its name and how it stands. */
export const Lane = memo(function Lane({ data }: NodeProps<LaneNode>) {
  const { t } = useTranslation();
  const phase = useKeyedRow(data.run, "phase", String(data.phase));
  const scale = useStore((flow) =>
    Math.min(TITLE_SCALE_MAX, Math.max(1, Math.round(4 / flow.transform[2]) / 4)),
  );
  return (
    <div className={`size-full border-line border-r border-dashed ${data.isLast ? "" : "border-b"}`}>
      <p
        className="origin-top-left truncate px-3.5 py-2.5 font-semibold text-soft text-xs"
        style={{ transform: `scale(${scale})`, width: `${100 / scale}%` }}
      >
        {data.phase} {data.title}
        {phase && (
          <span className="font-normal text-faint">
            {" "}
            · {t(`phase.${phase.state}`)} · {phase.tasks.done}/{phase.nTasks}
            {phase.tasks.running > 0 && ` · ${t("canvas.running", { count: phase.tasks.running })}`}
          </span>
        )}
      </p>
    </div>
  );
});
