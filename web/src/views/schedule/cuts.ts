/** Stretches of a schedule in which no agent works, which are cut out of the time axis. */

import type { Bar, Schedule } from "~/api/generated";

/** A shorter stretch is not cut. */
export const CUT_MIN_MS = 10 * 60_000;
/** The width of a cut in pixels. */
export const CUT_WIDTH = 56;
/** Less of the axis than this may not be cuts: a narrow axis keeps its stretches as they are. */
const UNCUT_WIDTH_MIN = 120;

export type CutReason = "person" | "rateLimit" | "idle";
export type Cut = { startAt: number; endAt: number; reason: CutReason };

/** The stretches in a range in which no agent works, with what blocked it most. */
export function toCuts({ bars }: Schedule, [start, end]: readonly [number, number]): Cut[] {
  const working = bars
    .filter(({ kind }) => kind !== "blocked")
    .sort((left, right) => left.startAt - right.startAt);
  const cuts: Cut[] = [];
  let workedUntil = start;
  for (const next of [...working, { startAt: end, endAt: end }]) {
    if (next.startAt - workedUntil >= CUT_MIN_MS)
      cuts.push({
        startAt: workedUntil,
        endAt: next.startAt,
        reason: cutReason(bars, workedUntil, next.startAt),
      });
    workedUntil = Math.max(workedUntil, next.endAt);
  }
  return cuts;
}

function cutReason(bars: readonly Bar[], startAt: number, endAt: number): CutReason {
  const reasons = bars
    .filter((bar) => bar.kind === "blocked" && bar.startAt < endAt && bar.endAt > startAt)
    .map(({ reason }) => reason?.type);
  if (reasons.some((type) => type !== undefined && FOR_PERSON.has(type))) return "person";
  return reasons.includes("rateLimited") ? "rateLimit" : "idle";
}

const FOR_PERSON: ReadonlySet<string> = new Set(["question", "request", "approval", "escalated"]);

/** The times at which the scale of the axis changes, and where they are on the axis. */
export function toScaleStops(
  [start, end]: readonly [number, number],
  cuts: readonly Cut[],
  width: number,
): { times: number[]; places: number[] } {
  if (width - cuts.length * CUT_WIDTH < UNCUT_WIDTH_MIN) return { times: [start, end], places: [0, width] };
  const cutMs = cuts.reduce((sum, cut) => sum + cut.endAt - cut.startAt, 0);
  const pixelsPerMs = (width - cuts.length * CUT_WIDTH) / Math.max(1, end - start - cutMs);
  const [times, places] = [[start], [0]];
  let [time, place] = [start, 0];
  const addStop = (nextTime: number, nextPlace: number) => {
    // A scale cannot have two stops at one time.
    if (nextTime > time) {
      times.push(nextTime);
      places.push(nextPlace);
    }
    [time, place] = [nextTime, nextPlace];
  };
  for (const cut of cuts) {
    addStop(cut.startAt, place + (cut.startAt - time) * pixelsPerMs);
    addStop(cut.endAt, place + CUT_WIDTH);
  }
  addStop(end, width);
  return { times, places };
}
