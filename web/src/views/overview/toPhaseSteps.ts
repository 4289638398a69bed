import type { PhaseRow } from "~/api/generated";

/** Sorts phases into steps: those of one step run beside each other, each after phases of earlier steps. */
export function toPhaseSteps(rows: Readonly<Record<string, PhaseRow>>): PhaseRow[][] {
  const phases = Object.values(rows).sort((left, right) => left.number - right.number);
  const stepOf = new Map<number, number>();
  const steps: PhaseRow[][] = [];
  for (const phase of phases) {
    // A phase comes after those with smaller numbers only, so they all have a step.
    const step = Math.max(-1, ...phase.after.map((number) => stepOf.get(number) ?? -1)) + 1;
    stepOf.set(phase.number, step);
    steps[step] = [...(steps[step] ?? []), phase];
  }
  return steps;
}
