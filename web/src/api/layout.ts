/** The graph layout of a plan and the schedule of a run, both computed by the server. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Layout, Schedule } from "./generated";
import { encodePathSegment, getJson } from "./http";

/** The critical path changes as tasks are done; this is how often it is updated. */
const LAYOUT_AGE_MAX_MS = 15_000;
const SCHEDULE_AGE_MAX_MS = 4_000;

/** The layout of a plan. `plan` identifies the plan's dependencies, so that a changed plan is fetched again. */
export function usePlanLayout(run: string, plan: string | undefined, hasEnded: boolean) {
  return useQuery({
    queryKey: ["layout", run, plan],
    queryFn: () => getJson<Layout>(`/api/runs/${encodePathSegment(run)}/layout`),
    enabled: plan !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: hasEnded ? false : LAYOUT_AGE_MAX_MS,
    // An unchanged layout stays the same object, so that nothing is rendered again.
    structuralSharing: true,
  });
}

export function useSchedule(run: string, hasEnded: boolean) {
  return useQuery({
    queryKey: ["schedule", run, hasEnded],
    queryFn: () => getJson<Schedule>(`/api/runs/${encodePathSegment(run)}/schedule`),
    placeholderData: keepPreviousData,
    refetchInterval: hasEnded ? false : SCHEDULE_AGE_MAX_MS,
  });
}
