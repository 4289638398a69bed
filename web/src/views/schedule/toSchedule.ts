/** Groups the bars of a schedule into rows by agent or by task. */

import type { Bar, Schedule } from "~/api/generated";
import { compareIds } from "~/components/compareIds";
import { localizedText } from "~/components/localizedText";
import { toCuts } from "./cuts";

export type GroupBy = "agent" | "task";
export type ScheduleRow = {
  /** The agent or the task; empty if no agent is assigned. */
  id: string;
  /** Bars of one track do not overlap; an agent with parallel tasks has several tracks. */
  tracks: Bar[][];
};

export function toScheduleRows(bars: readonly Bar[], by: GroupBy): ScheduleRow[] {
  const groups = new Map<string, Bar[]>();
  for (const bar of bars) {
    const id = (by === "agent" ? bar.agent : bar.task) ?? "";
    const group = groups.get(id);
    if (group) group.push(bar);
    else groups.set(id, [bar]);
  }
  const rows = [...groups].map(([id, bars]) => ({ id, tracks: packIntoTracks(bars) }));
  return rows.sort((left, right) => compareIds(left.id, right.id));
}

/** The question, request or problem that blocked the task during a bar. */
export function blockReasonText(
  { text, korean }: Pick<Bar, "text" | "korean">,
  language: string,
): string | null {
  return text === null ? null : localizedText({ text, korean }, language);
}

/** Distributes bars to as few tracks as possible; consecutive bars of a task stay in one track. */
export function packIntoTracks(bars: readonly Bar[]): Bar[][] {
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

/** The displayed time range: from the start to the last known time, with some padding. */
export function toTimeRange(schedule: Schedule): [number, number] {
  const ends = schedule.bars.map((bar) => bar.endAt);
  const start = schedule.bars.reduce((first, bar) => Math.min(first, bar.startAt), schedule.startAt);
  const end = ends.reduce(
    (last, end) => Math.max(last, end),
    Math.min(schedule.nowAt, Math.max(...ends, start)),
  );
  const cutMs = toCuts(schedule, [start, end]).reduce((sum, cut) => sum + cut.endAt - cut.startAt, 0);
  const padding = Math.max(1000, (end - start - cutMs) * 0.02);
  return [start, end + padding];
}
