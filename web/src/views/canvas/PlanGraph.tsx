import "@xyflow/react/dist/base.css";
import "./canvas.css";
import { Background, MiniMap, ReactFlow, useReactFlow, useStore } from "@xyflow/react";
import { type KeyboardEvent, memo, useCallback, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Layout } from "~/api/generated";
import { useRows } from "~/api/hooks";
import { useOpenTask } from "~/components/navigation";
import { LaneTitles } from "./LaneTitles";
import { Legend } from "./Legend";
import { MinimapRefreshProvider, MinimapTask } from "./MinimapTask";
import { OverlapLink } from "./OverlapLink";
import { PhaseLane } from "./PhaseLane";
import { phaseOfTask, stackPhases } from "./stackPhases";
import { TaskCard } from "./TaskCard";
import { TaskSearch } from "./TaskSearch";
import { type Direction, nearestTask, type PlanNode, toEdges, toNodes, toOverlapEdges } from "./toGraph";
import { useFitPlan, ZOOM_MIN } from "./useFitPlan";
import { useInitialView } from "./useInitialView";
import { ZoomButtons } from "./ZoomButtons";

const NODE_TYPES = { task: TaskCard, lane: PhaseLane };
const EDGE_TYPES = { overlap: OverlapLink };
const NO_TASKS: ReadonlySet<string> = new Set();
const ARROWS: Record<string, Direction> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};
const MOVE_MS = 200;
const PRO_OPTIONS = { hideAttribution: true };
/** Below this zoom only the most important edges are shown. */
const EDGES_ZOOM = 0.15;

type Props = { run: string; layout: Layout; foldedFirst: ReadonlySet<number> };

/** The graph. Only visible parts are rendered, and each task subscribes to its own row. */
export const PlanGraph = memo(function PlanGraph({ run, layout: plan, foldedFirst }: Props) {
  const { t } = useTranslation();
  const open = useOpenTask();
  const flow = useReactFlow<PlanNode>();
  const box = useRef<HTMLElement>(null);
  const [folded, setFolded] = useState(foldedFirst);
  const layout = useMemo(() => stackPhases(plan, folded), [plan, folded]);
  const toggleFold = useCallback((phase: number) => setFolded((folded) => toggled(folded, phase)), []);
  const initialView = useInitialView(run, layout);
  const fitPlan = useFitPlan(layout);
  const [selected, setSelected] = useState<string | null>(null);
  const [found, setFound] = useState<ReadonlySet<string>>(NO_TASKS);
  const isFar = useStore((flow) => flow.transform[2] < EDGES_ZOOM);
  const rows = useRows(run, "overlap").data;
  const overlaps = useMemo(() => Object.values(rows ?? {}), [rows]);
  const nodes = useMemo(
    () => toNodes(run, layout, { selected, found, overlaps }, { folded, toggleFold }),
    [run, layout, selected, found, overlaps, folded, toggleFold],
  );
  const edges = useMemo(
    () => [...toEdges(layout, selected, isFar), ...toOverlapEdges(layout, overlaps)],
    [layout, selected, isFar, overlaps],
  );

  const show = useCallback(
    (task: string) => {
      setSelected(task);
      const phase = phaseOfTask(plan, task);
      const isFolded = phase !== undefined && folded.has(phase);
      const unfolded = isFolded ? toggled(folded, phase) : folded;
      if (isFolded) setFolded(unfolded);
      const shown = isFolded ? stackPhases(plan, unfolded) : layout;
      const node = shown.nodes.find((node) => node.task === task);
      if (!node) return;
      const zoom = Math.max(flow.getZoom(), 0.7);
      const [x, y] = [node.x + layout.nodeWidth / 2, node.y + layout.nodeHeight / 2];
      void flow.setCenter(x, y, { zoom, duration: MOVE_MS });
    },
    [flow, layout, plan, folded],
  );

  // Stable, so that tasks are not rendered again because of them.
  const openNode = useCallback(
    (_: unknown, node: PlanNode) => {
      if (node.type !== "task") return;
      setSelected(node.id);
      open(node.id);
    },
    [open],
  );
  const deselect = useCallback(() => setSelected(null), []);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement || event.metaKey || event.ctrlKey || event.altKey) return;
    const direction = ARROWS[event.key];
    if (direction) {
      const next = selected ? nearestTask(layout.nodes, selected, direction) : initialView.task;
      if (next) show(next);
    } else if (event.key === "Enter" && selected) open(selected);
    else if (event.key === "Escape" && selected) setSelected(null);
    else if (event.key === "+" || event.key === "=") void flow.zoomIn({ duration: MOVE_MS });
    else if (event.key === "-") void flow.zoomOut({ duration: MOVE_MS });
    else if (event.key === "0") fitPlan();
    else return;
    event.preventDefault();
    event.stopPropagation();
    box.current?.focus();
  };

  return (
    <section
      ref={box}
      aria-label={t("canvas.label", { selected: selected ?? "" })}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="canvas @container relative size-full outline-offset-[-2px]"
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onlyRenderVisibleElements
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elevateNodesOnSelect={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        zoomOnDoubleClick={false}
        panOnScroll
        minZoom={ZOOM_MIN}
        maxZoom={1.5}
        fitView
        fitViewOptions={initialView.fit}
        onNodeClick={openNode}
        onPaneClick={deselect}
        proOptions={PRO_OPTIONS}
      >
        <Background gap={18} size={1.5} color="var(--line)" />
        <MinimapRefreshProvider run={run}>
          <MiniMap
            pannable
            zoomable
            ariaLabel={t("canvas.minimap")}
            nodeComponent={MinimapTask}
            className="max-md:hidden!"
            style={minimapSize(layout)}
            bgColor="var(--panel)"
            maskColor="color-mix(in srgb, var(--page) 65%, transparent)"
          />
        </MinimapRefreshProvider>
        <TaskSearch run={run} layout={plan} onFound={setFound} onShow={show} />
        <Legend />
        <ZoomButtons onFit={fitPlan} />
        <LaneTitles lanes={layout.lanes} />
      </ReactFlow>
    </section>
  );
});

/** The same set without a phase that it has, or with one that it does not have. */
function toggled(phases: ReadonlySet<number>, phase: number): ReadonlySet<number> {
  const next = new Set(phases);
  if (!next.delete(phase)) next.add(phase);
  return next;
}

/** A wide plan has a wide minimap. */
function minimapSize({ width, height }: Layout): { width: number; height: number } {
  const isWide = width > 5 * height;
  return isWide ? { width: 340, height: 72 } : { width: 190, height: 130 };
}
