import { type NodeProps, useStore } from "@xyflow/react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { useRowByKey } from "~/api/rowSubscriptions";
import type { LaneNode } from "./toGraph";

/** Titles grow as the view zooms out, up to this factor. */
const TITLE_SCALE_MAX = 24;
/** A larger title is above its lane, where it covers no task. */
const TITLE_SCALE_INSIDE = 1.5;

/** The lane of a phase behind its tasks, with its title and state. */
export const PhaseLane = memo(function PhaseLane({ data }: NodeProps<LaneNode>) {
  const { t } = useTranslation();
  const phase = useRowByKey(data.run, "phase", String(data.phase));
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
            · {t(`phaseState.${phase.state}`)} · {phase.tasks.done}/{phase.nTasks}
            {phase.tasks.running > 0 && ` · ${t("canvas.running", { count: phase.tasks.running })}`}
          </span>
        )}
      </p>
    </div>
  );
});
