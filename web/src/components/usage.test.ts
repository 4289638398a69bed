import i18next from "i18next";
import { expect, test } from "vitest";
import type { UsageTotals } from "~/api/generated";
import en from "~/i18n/en.json";
import ko from "~/i18n/ko.json";
import { usedCostText, usedTokensText } from "./usage";

await i18next.init({ resources: { en: { translation: en }, ko: { translation: ko } } });
const [english, korean] = [i18next.getFixedT("en"), i18next.getFixedT("ko")];

const USED: UsageTotals = { tokens: 1500, isPartial: true, costMicros: 1_200_000, costCertainty: "known" };

test.each([
  ["known", "$1.20", "$1.20"],
  ["estimated", "about $1.20", "약 $1.20"],
  ["atLeast", "at least $1.20", "최소 $1.20"],
  ["unknown", "cost unknown", "비용 알 수 없음"],
] as const)("a cost that is %s says so", (costCertainty, inEnglish, inKorean) => {
  const used = { ...USED, costCertainty };
  expect([usedCostText(english, used), usedCostText(korean, used)]).toEqual([inEnglish, inKorean]);
});

test("tokens of an agent that reports a part are a lower bound", () => {
  expect(usedTokensText(english, USED)).toBe("at least 1.5 k");
  expect(usedTokensText(english, { ...USED, isPartial: false })).toBe("1.5 k");
});

test("what no agent has reported yet is not free", () => {
  const none: UsageTotals = { tokens: 0, isPartial: false, costMicros: 0, costCertainty: "known" };
  expect([usedTokensText(english, none), usedCostText(english, none)]).toEqual(["–", "–"]);
  expect(usedCostText(english, { ...none, costCertainty: "unknown" })).toBe("cost unknown");
  expect(usedCostText(english, { ...none, tokens: 240 })).toBe("cost unknown");
  expect(usedCostText(english, { ...none, tokens: 240, costMicros: 20 })).toBe("< $0.01");
});
