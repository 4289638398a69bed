/** Plans: those that a project has, what is wrong with one, and a run of it. */

import { useMutation, useQuery } from "@tanstack/react-query";
import type {
  ListedAgent,
  PlanContent,
  PlanFile,
  PlanReport,
  PlanStart,
  PlanStarted,
  PlanText,
  ProjectRow,
} from "./generated";
import { getJson, part, postJson } from "./http";
import { personName } from "./wishes";

/** What is on the disk changes without a word, so it is looked at anew whenever somebody comes to pick. */
const FRESH = { staleTime: 0, gcTime: 0, retry: false } as const;

/** The projects that runs can be started in. */
export function useProjects() {
  return useQuery({
    queryKey: ["projects"],
    queryFn: () => getJson<ProjectRow[]>("/api/projects"),
    select: (rows) => rows.flatMap(({ name, folder }) => (folder === null ? [] : [{ name, folder }])),
    ...FRESH,
  });
}

/** The files of a project that look like plans. */
export function usePlans(project: string | null) {
  return useQuery({
    queryKey: ["plans", project],
    queryFn: () => getJson<PlanFile[]>(`/api/plans?project=${part(project ?? "")}`),
    enabled: project !== null,
    ...FRESH,
  });
}

/** The agents of this machine that work, and those that a project has of its own. */
export function useAgents(project: string | null) {
  return useQuery({
    queryKey: ["agents", project],
    queryFn: () => getJson<ListedAgent[]>(`/api/agents?project=${part(project ?? "")}`),
    select: (agents) => agents.filter(({ works }) => works),
    enabled: project !== null,
    ...FRESH,
  });
}

export function readPlan(project: string, path: string): Promise<PlanContent> {
  return getJson(`/api/plans/text?project=${part(project)}&path=${part(path)}`);
}

export function useCheck() {
  return useMutation({ mutationFn: (plan: PlanText) => postJson<PlanReport>("/api/plans/check", plan) });
}

export function useStart() {
  return useMutation({
    mutationFn: async (plan: Omit<PlanStart, "person">) => {
      const body: PlanStart = { ...plan, person: await personName() };
      return postJson<PlanStarted>("/api/plans/start", body);
    },
  });
}
