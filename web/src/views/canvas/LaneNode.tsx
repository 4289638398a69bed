import { type NodeProps, useStore } from "@xyflow/react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { useKeyedRow } from "~/api/keyed";
import type { LaneNode } from "./toGraph";

/** Titles grow as one goes away, so that they can be read, up to this. */
const TITLE_SCALE_MAX = 24;
/** A title that is larger than this stands above its lane, where it hides no task. */
const TITLE_SCALE_INSIDE = 1.5;

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
        className={`truncate px-3.5 py-2.5 font-semibold text-soft text-xs ${scale > TITLE_SCALE_INSIDE ? "absolute bottom-full origin-bottom-left" : "origin-top-left"}`}
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
