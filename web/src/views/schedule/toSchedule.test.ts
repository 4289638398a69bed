import { expect, test } from "vitest";
import type { Bar, Schedule } from "~/api/generated";
import { barText, toRange, toScheduleRows, toTracks } from "./toSchedule";

const bar = (task: string, agent: string, startAt: number, endAt: number): Bar => ({
  task,
  agent,
  startAt,
  endAt,
  kind: "past",
  reason: null,
  text: null,
  korean: null,
  isCritical: false,
});
const written = (bars: Bar[]) => bars.map((bar) => `${bar.task} ${bar.startAt}-${bar.endAt}`);

test("overlapping bars have separate tracks, and a task stays in its track", () => {
  const tracks = toTracks([
    bar("T1", "a", 0, 5),
    bar("T2", "a", 2, 4),
    bar("T3", "a", 5, 6),
    bar("T2", "a", 5, 9),
  ]);
  expect(tracks.map(written)).toEqual(
    [
      ["T1 0-5", "T3 5-6"],
      ["T2 2-4", "T2 5-9"],
    ].map((track) => track),
  );
});

test("rows are sorted by the number in their id", () => {
  const schedule = { bars: [bar("T10", "b", 0, 1), bar("T2", "a", 0, 1), bar("T2", "b", 1, 2)] } as Schedule;
  expect(toScheduleRows(schedule, "agent").map((row) => row.id)).toEqual(["a", "b"]);
  expect(toScheduleRows(schedule, "task").map((row) => row.id)).toEqual(["T2", "T10"]);
});

test("the range of an ended run does not grow with time", () => {
  const schedule = {
    startAt: 1000,
    nowAt: 900_000,
    endAt: null,
    nGuessed: 0,
    nStuck: 0,
    bars: [bar("T1", "a", 2000, 52_000)],
  };
  expect(toRange(schedule)).toEqual([1000, 53_020]);
  expect(toRange({ ...schedule, bars: [] })).toEqual([1000, 2000]);
});

test.each([
  ["T1 failed 3 times", "T1 작업이 3번 실패함", "ko", "T1 작업이 3번 실패함"],
  ["T1 failed 3 times", "T1 작업이 3번 실패함", "en", "T1 failed 3 times"],
  ["Which port?", null, "ko", "Which port?"],
  [null, null, "ko", null],
])("a bar about %j (%j) reads in %s: %j", (text, korean, language, expected) => {
  expect(barText({ text, korean }, language)).toBe(expected);
});
