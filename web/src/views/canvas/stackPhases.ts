/** Puts the phases of a layout below each other at the left, so that a plan is as wide as its widest phase. */

import type { Lane, Layout, PhaseRow, PlacedTask } from "~/api/generated";

/** The height of a folded phase: its title. */
const FOLDED_HEIGHT = 52;

/** The space for the title above the tasks, below the last task, and at the sides. */
const TITLE_HEIGHT = 52;
const PADDING = 20;
/** The space between two columns; the layout leaves more where another phase has tasks. */
const COLUMN_GAP_MAX = 72;

/** Moves each phase to the left and below the one before it. A folded phase has no tasks and no edges. */
export function stackPhases(layout: Layout, folded: ReadonlySet<number>): Layout {
  const lanes: Lane[] = [];
  const nodes: PlacedTask[] = [];
  let [width, y] = [0, 0];
  for (const lane of [...layout.lanes].sort((left, right) => left.phase - right.phase)) {
    const tasks = folded.has(lane.phase) ? [] : compactTasks(layout, tasksInLane(layout, lane));
    for (const task of tasks) nodes.push({ ...task, y: task.y + y });
    const bottom = Math.max(...tasks.map((task) => task.y + layout.nodeHeight));
    const height = tasks.length === 0 ? FOLDED_HEIGHT : bottom + PADDING;
    width = Math.max(width, ...tasks.map(({ x }) => x + layout.nodeWidth + PADDING));
    lanes.push({ ...lane, x: 0, y, height });
    y += height;
  }
  nodes.sort((left, right) => (left.task < right.task ? -1 : 1));
  const shown = new Set(nodes.map(({ task }) => task));
  const edges = layout.edges.filter(({ from, to }) => shown.has(from) && shown.has(to));
  return { ...layout, width, height: y, lanes: lanes.map((lane) => ({ ...lane, width })), nodes, edges };
}

/** The tasks of a phase below its title, without the columns in which it has none. */
function compactTasks({ nodeWidth }: Layout, tasks: readonly PlacedTask[]): PlacedTask[] {
  const columns = [...new Set(tasks.map(({ x }) => x))].sort((left, right) => left - right);
  const top = Math.min(...tasks.map(({ y }) => y));
  const places = new Map<number, number>();
  let place = PADDING;
  columns.forEach((x, n) => {
    if (n > 0) place += Math.min(x - (columns[n - 1] ?? x), nodeWidth + COLUMN_GAP_MAX);
    places.set(x, place);
  });
  return tasks.map((task) => ({ ...task, x: places.get(task.x) ?? task.x, y: task.y - top + TITLE_HEIGHT }));
}

const tasksInLane = ({ nodes }: Layout, lane: Lane) =>
  nodes.filter(
    ({ x, y }) => x >= lane.x && x < lane.x + lane.width && y >= lane.y && y < lane.y + lane.height,
  );

/** The phase of a task, by its position. */
export function phaseOfTask(layout: Layout, task: string): number | undefined {
  return layout.lanes.find((lane) => tasksInLane(layout, lane).some((node) => node.task === task))?.phase;
}

/** In a larger plan, phases that have not started are folded, too. */
const UNFOLDED_TASKS_MAX = 200;

/** The phases that are folded at first: finished ones, unless all are, and in a large plan those that have not started. */
export function phasesFoldedFirst(phases: Readonly<Record<string, PhaseRow>>): ReadonlySet<number> {
  const rows = Object.values(phases).sort((left, right) => left.number - right.number);
  const isLarge = rows.reduce((sum, { nTasks }) => sum + nTasks, 0) > UNFOLDED_TASKS_MAX;
  const isFinished = ({ state }: PhaseRow) => state === "approved" || state === "landed";
  const firstOpen = rows.find((phase) => !isFinished(phase));
  if (!firstOpen) return new Set(isLarge ? rows.slice(1).map(({ number }) => number) : []);
  const isFolded = (phase: PhaseRow) =>
    phase !== firstOpen && (isFinished(phase) || (isLarge && phase.state === "waiting"));
  return new Set(rows.filter(isFolded).map(({ number }) => number));
}
