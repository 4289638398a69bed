/** The bars of a run in rows: by agent, or by task. */

import type { Bar, Schedule } from "~/api/generated";
import { compareIds } from "~/components/compareIds";
import { inWords } from "~/components/inWords";

export type GroupBy = "agent" | "task";
export type ScheduleRow = {
  /** The agent or the task. */
  id: string;
  /** Bars that do not overlap; those of an agent with several slots take several. */
  tracks: Bar[][];
};

export function toScheduleRows({ bars }: Schedule, by: GroupBy): ScheduleRow[] {
  const groups = new Map<string, Bar[]>();
  for (const bar of bars) {
    const id = (by === "agent" ? bar.agent : bar.task) ?? "";
    const group = groups.get(id);
    if (group) group.push(bar);
    else groups.set(id, [bar]);
  }
  const rows = [...groups].map(([id, bars]) => ({ id, tracks: toTracks(bars) }));
  return rows.sort((left, right) => compareIds(left.id, right.id));
}

/** What was waited for in that time, in a language; nothing where there are no words for it. */
export function saidOn({ text, korean }: Pick<Bar, "text" | "korean">, language: string): string | null {
  return text === null ? null : inWords({ text, korean }, language);
}

/** Puts bars into as few tracks as they fit in; all bars of a task that follow each other stay in one. */
export function toTracks(bars: readonly Bar[]): Bar[][] {
  const sorted = [...bars].sort((left, right) => left.startAt - right.startAt || left.endAt - right.endAt);
  const tracks: Bar[][] = [];
  for (const bar of sorted) {
    const fits = (track: Bar[]) => (track.at(-1)?.endAt ?? 0) <= bar.startAt;
    const same = tracks.find((track) => track.at(-1)?.task === bar.task && fits(track));
    const track = same ?? tracks.find(fits);
    if (track) track.push(bar);
    else tracks.push([bar]);
  }
  return tracks;
}

/** The time that is shown: from the beginning to the last that is known, and a little more. */
export function toRange(schedule: Schedule): [number, number] {
  const ends = schedule.bars.map((bar) => bar.endAt);
  const start = schedule.bars.reduce((first, bar) => Math.min(first, bar.startAt), schedule.startAt);
  const end = ends.reduce(
    (last, end) => Math.max(last, end),
    Math.min(schedule.nowAt, Math.max(...ends, start)),
  );
  const room = Math.max(1000, (end - start) * 0.02);
  return [start, end + room];
}
