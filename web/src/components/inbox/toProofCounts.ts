import type { CompletionProof, GateTask } from "~/api/generated";

export type ProofCounts = Record<CompletionProof, number>;

/** How many done tasks of a phase have a passed check, none, or one that a user waived. */
export function toProofCounts(tasks: readonly GateTask[]): ProofCounts {
  const counts: ProofCounts = { checked: 0, unchecked: 0, waived: 0 };
  for (const { state, marks } of tasks) {
    if (state !== "done") continue;
    const proof = marks.includes("waived") ? "waived" : marks.includes("unchecked") ? "unchecked" : "checked";
    counts[proof] += 1;
  }
  return counts;
}
