import { type NodeProps, useStore } from "@xyflow/react";
import { ChevronDown, ChevronRight } from "lucide-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { useRowByKey } from "~/api/rowSubscriptions";
import { usePhaseStateName } from "~/components/usePhaseState";
import type { LaneNode } from "./toGraph";

/** Titles grow as the view zooms out, as far as they fit above the tasks of their phase. */
const TITLE_SCALE_MAX = 2;

/** The lane of a phase behind its tasks, with its title and state. */
export const PhaseLane = memo(function PhaseLane({ data }: NodeProps<LaneNode>) {
  const { t } = useTranslation();
  const stateName = usePhaseStateName(data.run);
  const phase = useRowByKey(data.run, "phase", String(data.phase));
  const Chevron = data.isFolded ? ChevronRight : ChevronDown;
  const scale = useStore((flow) =>
    Math.min(TITLE_SCALE_MAX, Math.max(1, Math.round(4 / flow.transform[2]) / 4)),
  );
  return (
    <div className={`size-full border-line border-dashed ${data.isLast ? "" : "border-b"}`}>
      <button
        type="button"
        aria-expanded={!data.isFolded}
        onClick={() => data.onToggle(data.phase)}
        className="nopan pointer-events-auto flex w-fit max-w-full items-center gap-1 truncate rounded px-2 py-1 text-left font-semibold text-soft origin-top-left text-xs hover:text-ink"
        style={{
          transform: `scale(${scale})`,
          maxWidth: `${100 / scale}%`,
        }}
      >
        <Chevron aria-hidden size={14} className="shrink-0" />
        <span className="truncate">
          {data.phase} {data.title}
          {phase && (
            <span className="font-normal text-faint">
              {" "}
              · {stateName(phase)} · {phase.tasks.done}/{phase.nTasks}
              {phase.tasks.running > 0 && ` · ${t("canvas.running", { count: phase.tasks.running })}`}
            </span>
          )}
        </span>
      </button>
    </div>
  );
});
