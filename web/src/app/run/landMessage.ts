import type { TFunction } from "i18next";
import type { LandOutcome } from "./toLandOutcome";

/** One sentence about the result of merging a run. */
export function landMessage(t: TFunction, { key, values }: LandOutcome): string {
  const kind = String(values["kind"] ?? "");
  return t(`mergeResult.${key}`, { ...values, how: t(`mergeKind.${kind}`, { defaultValue: kind }) });
}
