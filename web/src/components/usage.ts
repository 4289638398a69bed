/** Texts of tokens and costs that say how certain they are. Not reported is a dash, never zero. */

import type { TFunction } from "i18next";
import type { UsageTotals } from "~/api/generated";
import { formatMoney, formatTokens } from "./format";

const NOT_REPORTED = "–";

/** Whether anything was reported. Agents report nothing before the end of their first turn. */
export function hasUsage({ tokens, costMicros }: UsageTotals): boolean {
  return tokens > 0 || costMicros > 0;
}

export function usedTokensText(t: TFunction, { tokens, isPartial }: UsageTotals): string {
  if (tokens === 0) return NOT_REPORTED;
  const formatted = formatTokens(tokens);
  return isPartial ? t("usage.atLeast", { amount: formatted }) : formatted;
}

export function usedCostText(t: TFunction, used: UsageTotals): string {
  const { costMicros, costCertainty } = used;
  if (!hasUsage(used) && costCertainty !== "unknown") return NOT_REPORTED;
  // An agent that reports tokens and a cost of zero does not know its cost.
  if (costMicros === 0) return t("usage.costUnknown");
  const amount = formatMoney(costMicros);
  switch (costCertainty) {
    case "known":
      return amount;
    case "estimated":
      return t("usage.about", { amount });
    case "atLeast":
      return t("usage.atLeast", { amount });
    case "unknown":
      return t("usage.costUnknown");
  }
}
