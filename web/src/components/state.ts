/** The display state of a task: its name, a tone (a color with a meaning), and an icon for people who do not see colors. */

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

export function waitsForPerson(task: Pick<TaskRow, "state" | "blocked">): boolean {
  return (
    task.state === "blocked" &&
    task.blocked.some(({ on, reason }) => on.type === "person" && reason.type !== "paused")
  );
}

/** `state.NAME` is the translated name. */
export type DisplayState = TaskRow["state"] | "needsAnswer" | "problem" | "paused" | "rateLimited";

export function displayState(task: Pick<TaskRow, "state" | "blocked">): DisplayState {
  if (task.state !== "blocked") return task.state;
  const reasons = task.blocked.map(({ reason }) => reason.type);
  if (waitsForPerson(task)) return reasons.includes("escalated") ? "problem" : "needsAnswer";
  if (reasons.includes("paused")) return "paused";
  if (reasons.includes("rateLimited")) return "rateLimited";
  return "blocked";
}

/** When the rate limit of a task ends, if that is known. */
export function rateLimitEnd({ blocked }: Pick<TaskRow, "blocked">): number | null {
  for (const { reason } of blocked) if (reason.type === "rateLimited") return reason.until;
  return null;
}

export const STATE_STYLES: Record<DisplayState, { tone: Tone; icon: LucideIcon }> = {
  waiting: { tone: "wait", icon: CircleDashed },
  ready: { tone: "ready", icon: Circle },
  running: { tone: "run", icon: Play },
  blocked: { tone: "wait", icon: CirclePause },
  paused: { tone: "wait", icon: CirclePause },
  rateLimited: { tone: "wait", icon: CirclePause },
  needsAnswer: { tone: "ask", icon: CircleHelp },
  problem: { tone: "ask", icon: TriangleAlert },
  checking: { tone: "check", icon: RotateCw },
  merging: { tone: "check", icon: Combine },
  done: { tone: "done", icon: Check },
  failed: { tone: "fail", icon: X },
  skipped: { tone: "wait", icon: SkipForward },
  cancelled: { tone: "wait", icon: Ban },
};

export const RUN_STATE_STYLES: Record<RunState, { tone: Tone; icon: LucideIcon }> = {
  running: { tone: "run", icon: Play },
  paused: { tone: "wait", icon: CirclePause },
  done: { tone: "done", icon: Check },
  failed: { tone: "fail", icon: X },
  cancelled: { tone: "wait", icon: Ban },
};

export const TEXT_COLORS: Record<Tone, string> = {
  wait: "text-wait",
  ready: "text-ready",
  run: "text-run",
  ask: "text-ask",
  check: "text-check",
  done: "text-done",
  fail: "text-fail",
};

export const FILL_COLORS: Record<Tone, string> = {
  wait: "bg-wait",
  ready: "bg-ready",
  run: "bg-run",
  ask: "bg-ask-fill",
  check: "bg-check",
  done: "bg-done",
  fail: "bg-fail",
};

export const EDGE_COLORS: Record<Tone, string> = {
  wait: "border-l-wait",
  ready: "border-l-ready",
  run: "border-l-run",
  ask: "border-l-ask-fill",
  check: "border-l-check",
  done: "border-l-done",
  fail: "border-l-fail",
};
