import { scaleTime } from "d3-scale";
import { expect, test } from "vitest";
import type { Bar, Schedule } from "~/api/generated";
import { CUT_WIDTH, toCuts, toScaleStops } from "./cuts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const bar = (kind: Bar["kind"], startAt: number, endAt: number, reason: Bar["reason"] = null) =>
  ({ kind, startAt, endAt, reason }) as Bar;
const scheduleOf = (...bars: Bar[]) => ({ bars }) as Schedule;

test("one task that waits a day for a rate limit does not stretch the axis", () => {
  const schedule = scheduleOf(
    bar("past", 0, 5 * MINUTE),
    bar("blocked", 5 * MINUTE, 24 * HOUR, { type: "rateLimited", until: 24 * HOUR }),
    bar("predicted", 24 * HOUR, 24 * HOUR + 5 * MINUTE),
  );
  const range = [0, 24 * HOUR + 5 * MINUTE] as const;
  const cuts = toCuts(schedule, range);
  expect(cuts).toEqual([{ startAt: 5 * MINUTE, endAt: 24 * HOUR, reason: "rateLimit" }]);
  const { times, places } = toScaleStops(range, cuts, 600 + CUT_WIDTH);
  expect(places).toEqual([0, 300, 300 + CUT_WIDTH, 600 + CUT_WIDTH]);
  expect(scaleTime(times, places)(24 * HOUR + 2.5 * MINUTE)).toBe(450 + CUT_WIDTH);
});

test("a stretch in which an agent works, or a short one, is not cut", () => {
  const range = [0, HOUR] as const;
  expect(toCuts(scheduleOf(bar("past", 0, HOUR), bar("past", 5, 10)), range)).toEqual([]);
  expect(toCuts(scheduleOf(bar("past", 0, 55 * MINUTE)), range)).toEqual([]);
});

test("a cut says that the run waited for the user, and another that nothing happened", () => {
  const waiting = bar("blocked", 5 * MINUTE, HOUR, { type: "question", question: "q_1" });
  const work = [bar("past", 0, 5 * MINUTE), bar("now", HOUR, HOUR + MINUTE)];
  const range = [0, HOUR + MINUTE] as const;
  expect(toCuts(scheduleOf(...work, waiting), range)[0]?.reason).toBe("person");
  expect(toCuts(scheduleOf(...work), range)[0]?.reason).toBe("idle");
});

test("an axis that is too narrow for its cuts has none", () => {
  const cut = { startAt: 0, endAt: HOUR, reason: "idle" } as const;
  expect(toScaleStops([0, 2 * HOUR], [cut], 150)).toEqual({ times: [0, 2 * HOUR], places: [0, 150] });
});
