import { useStore } from "@xyflow/react";
import type { Lane } from "~/api/generated";

/** A title above this is not visible. */
const OUT_OF_SIGHT = -8;
/** A narrower lane has no room for a title. */
const WIDTH_MIN = 90;

/** The titles of visible lanes whose own titles are scrolled out. */
export function LaneTitles({ lanes }: { lanes: readonly Lane[] }) {
  const [x, y, zoom] = useStore((flow) => flow.transform);
  const width = useStore((flow) => flow.width);
  return (
    <div aria-hidden className="pointer-events-none absolute inset-x-0 top-0 z-5 h-7 overflow-hidden">
      {lanes.map((lane) => {
        const top = lane.y * zoom + y;
        const bottom = top + lane.height * zoom;
        const left = Math.max(0, lane.x * zoom + x);
        const right = Math.min(width, (lane.x + lane.width) * zoom + x);
        if (top > OUT_OF_SIGHT || bottom < 40 || right - left < WIDTH_MIN) return null;
        return (
          <span
            key={lane.phase}
            className="absolute top-1 truncate rounded-md bg-panel/90 px-2 py-0.5 font-semibold text-soft text-xs shadow-xs"
            style={{ left: left + 8, maxWidth: right - left - 16 }}
          >
            {lane.phase} {lane.title}
          </span>
        );
      })}
    </div>
  );
}
