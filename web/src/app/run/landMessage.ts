import type { TFunction } from "i18next";
import type { LandOutcome } from "./toLandOutcome";

/** The message about the result of merging a run. */
export function landMessage(t: TFunction, { key, values, isMerged, isUnchecked }: LandOutcome): string {
  const kind = String(values["kind"] ?? "");
  const message = t(`mergeResult.${key}`, { ...values, how: t(`mergeKind.${kind}`, { defaultValue: kind }) });
  return isMerged && isUnchecked ? `${message} ${t("mergeResult.unchecked")}` : message;
}
