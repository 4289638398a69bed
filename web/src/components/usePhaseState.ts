import { useTranslation } from "react-i18next";
import type { PhaseRow } from "~/api/generated";
import { useRow } from "~/api/hooks";

/** Whether a phase is not finished although its run has ended. */
export const isUnfinished = ({ state }: Pick<PhaseRow, "state">, runEndedAt: number | null): boolean =>
  runEndedAt !== null && state !== "approved" && state !== "landed";

/** Returns a function that names the state of a phase. Nothing is running in a run that has ended. */
export function usePhaseStateName(run: string): (phase: Pick<PhaseRow, "state">) => string {
  const { t } = useTranslation();
  const endedAt = useRow(run, "run", "run")?.endedAt ?? null;
  return (phase) =>
    isUnfinished(phase, endedAt) ? t("overview.phaseUnfinished") : t(`phaseState.${phase.state}`);
}
