import type { MiniMapNodeProps } from "@xyflow/react";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import type { RowsByKey } from "~/api/cache";
import { queryKeys } from "~/api/cache";
import { cache } from "~/api/client";
import { displayState, STATE_STYLES } from "~/components/state";

/** The minimap need not follow every change. */
const REFRESH_MS = 2000;
const RefreshContext = createContext({ run: "", n: 0 });

/** Makes the tasks of the minimap read their rows again periodically. */
export function MinimapRefreshProvider({ run, children }: { run: string; children: ReactNode }) {
  const [n, setN] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setN((n) => n + 1), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const value = useMemo(() => ({ run, n }), [run, n]);
  return <RefreshContext value={value}>{children}</RefreshContext>;
}

/** A task on the minimap, in the color of its state. */
export function MinimapTask({ id, x, y, width, height }: MiniMapNodeProps) {
  const { run } = useContext(RefreshContext);
  const task = cache.getQueryData<RowsByKey<"task">>(queryKeys.rows(run, "task"))?.[id];
  if (!task)
    return (
      <rect x={x} y={y} width={width} height={height} fill="none" stroke="var(--line)" strokeWidth={8} />
    );
  const { tone } = STATE_STYLES[displayState(task)];
  const opacity = tone === "wait" ? 0.35 : 1;
  const colour = tone === "ask" ? "ask-fill" : tone;
  return (
    <rect x={x} y={y} width={width} height={height} rx={8} fill={`var(--${colour})`} opacity={opacity} />
  );
}
