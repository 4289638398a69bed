/** What people can wish of a run. */

import { part, postJson } from "./http";
import type { Action, Keep, Priority } from "./rows";

export type Wish =
  | "pauseRun"
  | "continueRun"
  | "cancelRun"
  | { pausePhase: number }
  | { continuePhase: number }
  | { pauseTask: string }
  | { continueTask: string }
  | { cancelTask: string }
  | { skipTask: string }
  | { retryTask: { task: string; hint?: string } }
  | { prioritizeTask: { task: string; priority: Priority } }
  | { reassignTask: { task: string; agent: string } }
  | { makeCheckpoint: string }
  | { rewindTask: { task: string; checkpoint?: string } }
  | { answer: { question: string; answer: string; keep?: Keep } }
  | { askBack: { question: string; text: string } }
  | { chat: { text: string } }
  | { provide: { request: string; provided: Provided } }
  | { refuse: { request: string; reason: string } }
  | { skipRequest: string }
  | { approveGate: { phase: number; note?: string } }
  | { takePlan: { offer: string } }
  | { leavePlan: { offer: string } }
  | { rejectGate: { phase: number; reason: string; tasks: string[] } }
  | { resolve: { escalation: string; action: Action; note?: string } };

export type Provided =
  | { type: "environment"; names: string[] }
  | { type: "file"; path: string }
  | { type: "permission"; granted: boolean }
  | { type: "package"; name: string; version?: string };

const PERSON = "jangdan.person";

/** The name under which wishes of this browser are recorded. */
export const person = {
  get: (): string => localStorage.getItem(PERSON) ?? "you",
  set: (name: string): void => localStorage.setItem(PERSON, name.trim().slice(0, 100) || "you"),
};

export function wish(run: string, what: Wish): Promise<{ sequence: number }> {
  return postJson(`/api/runs/${part(run)}/wishes`, { person: person.get(), wish: what });
}
