/** Plans: listing them, checking one, and starting a run. */

import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { personName } from "./commands";
import type {
  ListedAgent,
  PlanCheckRequest,
  PlanFile,
  PlanFileContent,
  PlanReport,
  PlanRunCreated,
  PlanStartPreview,
  PlanStartRequest,
  ProjectRow,
} from "./generated";
import { encodePathSegment, getJson, pageLanguage, postJson } from "./http";

/** Files change without an event, so they are read again whenever the page for a new run is opened. */
const NEVER_CACHED = { staleTime: 0, gcTime: 0, retry: false } as const;

/** The projects in which a run can be started. */
export function useProjects() {
  return useQuery({
    queryKey: ["projects"],
    queryFn: () => getJson<ProjectRow[]>("/api/projects"),
    select: (rows) => rows.flatMap(({ name, folder }) => (folder === null ? [] : [{ name, folder }])),
    ...NEVER_CACHED,
  });
}

/** The files of a project that look like plans. */
export function usePlans(project: string | null) {
  return useQuery({
    queryKey: ["plans", project],
    queryFn: () => getJson<PlanFile[]>(`/api/plans?project=${encodePathSegment(project ?? "")}`),
    enabled: project !== null,
    ...NEVER_CACHED,
  });
}

/** The installed agents, and those that a project configures. */
export function useAgents(project: string | null) {
  return useQuery({
    queryKey: ["agents", project],
    queryFn: () => getJson<ListedAgent[]>(`/api/agents?project=${encodePathSegment(project ?? "")}`),
    select: (agents) => agents.filter(({ works }) => works),
    enabled: project !== null,
    ...NEVER_CACHED,
  });
}

/** All known agents, also those that cannot be used yet. */
export function useKnownAgents(project: string | null, enabled: boolean) {
  return useQuery({
    queryKey: ["knownAgents", project],
    queryFn: () =>
      getJson<ListedAgent[]>(
        project === null ? "/api/agents" : `/api/agents?project=${encodePathSegment(project)}`,
      ),
    enabled,
    ...NEVER_CACHED,
  });
}

export function fetchPlanFile(project: string, path: string): Promise<PlanFileContent> {
  return getJson(`/api/plans/text?project=${encodePathSegment(project)}&path=${encodePathSegment(path)}`);
}

export function useCheckPlan() {
  return useMutation({
    mutationFn: (plan: PlanCheckRequest) => postJson<PlanReport>("/api/plans/check", plan),
  });
}

/** A plan and the options of its run. */
export type RunStart = Omit<PlanStartRequest, "person">;

/** What the user should know before the run starts, or why it cannot start. */
export function useStartPreview(start: RunStart | null) {
  return useQuery({
    queryKey: ["startPreview", start, pageLanguage()],
    queryFn: async () =>
      postJson<PlanStartPreview>("/api/plans/preview", { ...start, person: await personName() }),
    enabled: start !== null,
    placeholderData: keepPreviousData,
    ...NEVER_CACHED,
  });
}

export function useStartRun() {
  return useMutation({
    mutationFn: async (start: RunStart) => {
      const body: PlanStartRequest = { ...start, person: await personName() };
      return postJson<PlanRunCreated>("/api/plans/start", body);
    },
  });
}
