/** Texts of tokens and costs that say how certain they are. */

import type { TFunction } from "i18next";
import type { UsageTotals } from "~/api/generated";
import { formatMoney, formatTokens } from "./format";

export function usedTokensText(t: TFunction, { tokens, isPartial }: UsageTotals): string {
  const formatted = formatTokens(tokens);
  return isPartial ? t("usage.atLeast", { amount: formatted }) : formatted;
}

export function usedCostText(t: TFunction, { costMicros, costCertainty }: UsageTotals): string {
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
