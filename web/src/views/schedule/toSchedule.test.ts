import { expect, test } from "vitest";
import type { Bar, Schedule } from "~/api/generated";
import { blockReasonText, packIntoTracks, toScheduleRows, toTimeRange } from "./toSchedule";

const pastBar = (task: string, agent: string, startAt: number, endAt: number): Bar => ({
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
const formatBars = (bars: Bar[]) => bars.map((bar) => `${bar.task} ${bar.startAt}-${bar.endAt}`);

test("overlapping bars have separate tracks, and a task stays in its track", () => {
  const tracks = packIntoTracks([
    pastBar("T1", "a", 0, 5),
    pastBar("T2", "a", 2, 4),
    pastBar("T3", "a", 5, 6),
    pastBar("T2", "a", 5, 9),
  ]);
  expect(tracks.map(formatBars)).toEqual(
    [
      ["T1 0-5", "T3 5-6"],
      ["T2 2-4", "T2 5-9"],
    ].map((track) => track),
  );
});

test("rows are sorted by the number in their id", () => {
  const schedule = {
    bars: [pastBar("T10", "b", 0, 1), pastBar("T2", "a", 0, 1), pastBar("T2", "b", 1, 2)],
  } as Schedule;
  expect(toScheduleRows(schedule.bars, "agent").map((row) => row.id)).toEqual(["a", "b"]);
  expect(toScheduleRows(schedule.bars, "task").map((row) => row.id)).toEqual(["T2", "T10"]);
});

test("the range of an ended run does not grow with time", () => {
  const schedule = {
    startAt: 1000,
    nowAt: 900_000,
    endAt: null,
    nGuessed: 0,
    nStuck: 0,
    bars: [pastBar("T1", "a", 2000, 52_000)],
  };
  expect(toTimeRange(schedule)).toEqual([1000, 53_020]);
  expect(toTimeRange({ ...schedule, bars: [] })).toEqual([1000, 2000]);
});

test.each([
  ["T1 failed 3 times", "T1 작업이 3번 실패함", "ko", "T1 작업이 3번 실패함"],
  ["T1 failed 3 times", "T1 작업이 3번 실패함", "en", "T1 failed 3 times"],
  ["Which port?", null, "ko", "Which port?"],
  [null, null, "ko", null],
])("the text of a bar with %j (Korean: %j) in the language %s is %j", (text, korean, language, expected) => {
  expect(blockReasonText({ text, korean }, language)).toBe(expected);
});
