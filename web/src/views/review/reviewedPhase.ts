type Phase = { phase: number };

/** Returns the phase to show: the wanted one, else the first that needs the user, else the latest. */
export function chooseReviewedPhase(
  phases: readonly Phase[],
  wanted: number | undefined,
  needsUser: (phase: number) => boolean,
): number | undefined {
  const has = (phase: number | undefined) => phases.some((row) => row.phase === phase);
  if (has(wanted)) return wanted;
  return (phases.find(({ phase }) => needsUser(phase)) ?? phases.at(-1))?.phase;
}
