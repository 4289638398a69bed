import "@xyflow/react/dist/base.css";
import "./canvas.css";
import { Background, MiniMap, ReactFlow, useReactFlow, useStore } from "@xyflow/react";
import { type KeyboardEvent, memo, useCallback, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Layout } from "~/api/generated";
import { useRows } from "~/api/hooks";
import { useOpenTask } from "~/components/open";
import { isTap } from "~/components/opening";
import { Lane } from "./LaneNode";
import { LaneTitles } from "./LaneTitles";
import { Legend } from "./Legend";
import { MiniTask, Ticking } from "./MiniTask";
import { OverlapLink } from "./OverlapLink";
import { Search } from "./Search";
import { TaskCard } from "./TaskNode";
import { type Direction, nearest, type PlanNode, toEdges, toNodes, toOverlapEdges } from "./toGraph";
import { useFirstLook } from "./useFirstLook";
import { useWhole, ZOOM_MIN } from "./useWhole";
import { ZoomButtons } from "./ZoomButtons";

const NODE_TYPES = { task: TaskCard, lane: Lane };
const EDGE_TYPES = { overlap: OverlapLink };
const NOTHING: ReadonlySet<string> = new Set();
const ARROWS: Record<string, Direction> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};
const MOVE_MS = 200;
const PRO_OPTIONS = { hideAttribution: true };
/** Further away than this, only the edges that matter most can be told apart. */
const EDGES_ZOOM = 0.15;

type Props = { run: string; layout: Layout };

/** The graph itself: only what is in sight is drawn, and each task keeps itself current. */
export const Plan = memo(function Plan({ run, layout }: Props) {
  const { t } = useTranslation();
  const open = useOpenTask();
  const flow = useReactFlow<PlanNode>();
  const box = useRef<HTMLElement>(null);
  const firstLook = useFirstLook(run, layout);
  const showWhole = useWhole(layout);
  const [chosen, setChosen] = useState<string | null>(null);
  const [found, setFound] = useState<ReadonlySet<string>>(NOTHING);
  const isFar = useStore((flow) => flow.transform[2] < EDGES_ZOOM);
  const rows = useRows(run, "overlap").data;
  const overlaps = useMemo(() => Object.values(rows ?? {}), [rows]);
  const nodes = useMemo(
    () => toNodes(run, layout, { chosen, found, overlaps }),
    [run, layout, chosen, found, overlaps],
  );
  const edges = useMemo(
    () => [...toEdges(layout, chosen, isFar), ...toOverlapEdges(layout, overlaps)],
    [layout, chosen, isFar, overlaps],
  );

  const show = useCallback(
    (task: string) => {
      setChosen(task);
      const node = layout.nodes.find((node) => node.task === task);
      if (!node) return;
      const zoom = Math.max(flow.getZoom(), 0.7);
      const [x, y] = [node.x + layout.nodeWidth / 2, node.y + layout.nodeHeight / 2];
      void flow.setCenter(x, y, { zoom, duration: MOVE_MS });
    },
    [flow, layout],
  );

  // These stay the same, so that no task is drawn anew because of them.
  const choose = useCallback(
    (_: unknown, node: PlanNode) => {
      if (node.type !== "task") return;
      setChosen(node.id);
      if (isTap()) open(node.id);
    },
    [open],
  );
  const openNode = useCallback((_: unknown, node: PlanNode) => node.type === "task" && open(node.id), [open]);
  const leave = useCallback(() => setChosen(null), []);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement || event.metaKey || event.ctrlKey || event.altKey) return;
    const direction = ARROWS[event.key];
    if (direction) {
      const next = chosen ? nearest(layout.nodes, chosen, direction) : firstLook.task;
      if (next) show(next);
    } else if (event.key === "Enter" && chosen) open(chosen);
    else if (event.key === "Escape" && chosen) setChosen(null);
    else if (event.key === "+" || event.key === "=") void flow.zoomIn({ duration: MOVE_MS });
    else if (event.key === "-") void flow.zoomOut({ duration: MOVE_MS });
    else if (event.key === "0") showWhole();
    else return;
    event.preventDefault();
    event.stopPropagation();
    box.current?.focus();
  };

  return (
    <section
      ref={box}
      aria-label={t("canvas.label", { chosen: chosen ?? "" })}
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
        fitViewOptions={firstLook.fit}
        onNodeClick={choose}
        onNodeDoubleClick={openNode}
        onPaneClick={leave}
        proOptions={PRO_OPTIONS}
      >
        <Background gap={18} size={1.5} color="var(--line)" />
        <Ticking run={run}>
          <MiniMap
            pannable
            zoomable
            ariaLabel={t("canvas.minimap")}
            nodeComponent={MiniTask}
            className="max-md:hidden!"
            style={mapSize(layout)}
            bgColor="var(--panel)"
            maskColor="color-mix(in srgb, var(--page) 65%, transparent)"
          />
        </Ticking>
        <Search run={run} layout={layout} onFound={setFound} onShow={show} />
        <Legend />
        <ZoomButtons onWhole={showWhole} />
        <LaneTitles lanes={layout.lanes} />
      </ReactFlow>
    </section>
  );
});

/** A small map in the shape of the plan, as far as it stays small. */
function mapSize({ width, height }: Layout): { width: number; height: number } {
  const isWide = width > 5 * height;
  return isWide ? { width: 340, height: 72 } : { width: 190, height: 130 };
}
