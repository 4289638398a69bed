/** How a task's state looks: a tone, which is a colour with a meaning, and a sign for those who don't see colours. */

import {
  Ban,
  Check,
  Circle,
  CircleDashed,
  CircleHelp,
  CirclePause,
  Combine,
  type LucideIcon,
  Play,
  RotateCw,
  SkipForward,
  TriangleAlert,
  X,
} from "lucide-react";
import type { RunState, TaskRow } from "~/api/generated";

export type Tone = "wait" | "ready" | "run" | "ask" | "check" | "done" | "fail";

/** Tells whether a task waits for a person. */
export function waitsForPerson(task: Pick<TaskRow, "state" | "blocked">): boolean {
  return (
    task.state === "blocked" &&
    task.blocked.some(({ on, reason }) => on.type === "person" && reason.type !== "paused")
  );
}

/** The word of a task's state: `state.WORD` is its name. */
export type Shown = TaskRow["state"] | "asks" | "escalated" | "paused" | "limited";

export function shownState(task: Pick<TaskRow, "state" | "blocked">): Shown {
  if (task.state !== "blocked") return task.state;
  const reasons = task.blocked.map(({ reason }) => reason.type);
  if (waitsForPerson(task)) return reasons.includes("escalated") ? "escalated" : "asks";
  if (reasons.includes("paused")) return "paused";
  if (reasons.includes("rateLimited")) return "limited";
  return "blocked";
}

export const SIGNS: Record<Shown, { tone: Tone; icon: LucideIcon }> = {
  waiting: { tone: "wait", icon: CircleDashed },
  ready: { tone: "ready", icon: Circle },
  running: { tone: "run", icon: Play },
  blocked: { tone: "wait", icon: CirclePause },
  paused: { tone: "wait", icon: CirclePause },
  limited: { tone: "wait", icon: CirclePause },
  asks: { tone: "ask", icon: CircleHelp },
  escalated: { tone: "ask", icon: TriangleAlert },
  checking: { tone: "check", icon: RotateCw },
  merging: { tone: "check", icon: Combine },
  done: { tone: "done", icon: Check },
  failed: { tone: "fail", icon: X },
  skipped: { tone: "wait", icon: SkipForward },
  cancelled: { tone: "wait", icon: Ban },
};

export const RUN_SIGNS: Record<RunState, { tone: Tone; icon: LucideIcon }> = {
  running: { tone: "run", icon: Play },
  paused: { tone: "wait", icon: CirclePause },
  done: { tone: "done", icon: Check },
  failed: { tone: "fail", icon: X },
  cancelled: { tone: "wait", icon: Ban },
};

export const TEXT: Record<Tone, string> = {
  wait: "text-wait",
  ready: "text-ready",
  run: "text-run",
  ask: "text-ask",
  check: "text-check",
  done: "text-done",
  fail: "text-fail",
};

export const FILL: Record<Tone, string> = {
  wait: "bg-wait",
  ready: "bg-ready",
  run: "bg-run",
  ask: "bg-ask-fill",
  check: "bg-check",
  done: "bg-done",
  fail: "bg-fail",
};

export const EDGE: Record<Tone, string> = {
  wait: "border-l-wait",
  ready: "border-l-ready",
  run: "border-l-run",
  ask: "border-l-ask-fill",
  check: "border-l-check",
  done: "border-l-done",
  fail: "border-l-fail",
};
