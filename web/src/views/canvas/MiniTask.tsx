import type { MiniMapNodeProps } from "@xyflow/react";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import type { Table } from "~/api/cache";
import { keys } from "~/api/cache";
import { cache } from "~/api/client";
import { SIGNS, shownState } from "~/components/state";

/** The small map need not follow every change. */
const TICK_MS = 2000;
const Tick = createContext({ run: "", n: 0 });

/** Lets the small map look at the rows now and then. */
export function Ticking({ run, children }: { run: string; children: ReactNode }) {
  const [n, setN] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setN((n) => n + 1), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const value = useMemo(() => ({ run, n }), [run, n]);
  return <Tick value={value}>{children}</Tick>;
}

/** A task on the small map: a spot in the colour of its state. */
export function MiniTask({ id, x, y, width, height }: MiniMapNodeProps) {
  const { run } = useContext(Tick);
  const task = cache.getQueryData<Table<"task">>(keys.rows(run, "task"))?.[id];
  if (!task)
    return (
      <rect x={x} y={y} width={width} height={height} fill="none" stroke="var(--line)" strokeWidth={8} />
    );
  const { tone } = SIGNS[shownState(task)];
  const opacity = tone === "wait" ? 0.35 : 1;
  const colour = tone === "ask" ? "ask-fill" : tone;
  return (
    <rect x={x} y={y} width={width} height={height} rx={8} fill={`var(--${colour})`} opacity={opacity} />
  );
}
