import type { AttemptFailure } from "~/api/generated";

/** Describes why an attempt failed. */
export function failureText(
  failure: AttemptFailure,
  t: (key: string, values?: Record<string, unknown>) => string,
): string {
  const isKilled = failure.type === "exited" && failure.exitStatus === null;
  return isKilled ? t("failure.killed") : t(`failure.${failure.type}`, { ...failure });
}
