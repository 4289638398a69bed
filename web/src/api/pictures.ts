/** Pictures of a run that the server draws: where its tasks stand in its plan, and when they are worked at. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Layout, Schedule } from "./generated";
import { getJson, part } from "./http";

/** The longest way changes with what was done; so often is often enough to look. */
const LAYOUT_AGE_MAX_MS = 15_000;
const SCHEDULE_AGE_MAX_MS = 4_000;

/** The picture of a plan. `plan` names what the picture depends on: another plan is another picture. */
export function useLayout(run: string, plan: string | undefined, isOver: boolean) {
  return useQuery({
    queryKey: ["layout", run, plan],
    queryFn: () => getJson<Layout>(`/api/runs/${part(run)}/layout`),
    enabled: plan !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: isOver ? false : LAYOUT_AGE_MAX_MS,
    // The same picture stays the same object, so that nothing is drawn anew.
    structuralSharing: true,
  });
}

export function useSchedule(run: string, isOver: boolean) {
  return useQuery({
    queryKey: ["schedule", run, isOver],
    queryFn: () => getJson<Schedule>(`/api/runs/${part(run)}/schedule`),
    placeholderData: keepPreviousData,
    refetchInterval: isOver ? false : SCHEDULE_AGE_MAX_MS,
  });
}
