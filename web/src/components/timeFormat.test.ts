import i18next from "i18next";
import { expect, test } from "vitest";
import en from "~/i18n/en.json";
import ko from "~/i18n/ko.json";
import { formatDuration, formatTimeAgo } from "./timeFormat";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

await i18next.init({ resources: { en: { translation: en }, ko: { translation: ko } } });
const [english, korean] = [i18next.getFixedT("en"), i18next.getFixedT("ko")];

test.each([
  [-5, "0 s", "0초"],
  [42 * SECOND, "42 s", "42초"],
  [MINUTE + 12 * SECOND, "1 m 12 s", "1분 12초"],
  [2 * HOUR + 5 * MINUTE, "2 h 5 m", "2시간 5분"],
  [72 * HOUR, "3 d", "3일"],
])("a duration of %i ms is shown as %s", (ms, inEnglish, inKorean) => {
  expect([formatDuration(ms, english), formatDuration(ms, korean)]).toEqual([inEnglish, inKorean]);
});

test.each([
  [4 * SECOND, "just now", "방금 전"],
  [42 * SECOND, "42 s ago", "42초 전"],
  [2 * MINUTE + 50 * SECOND, "2 min ago", "2분 전"],
  [3 * HOUR, "3 h ago", "3시간 전"],
  [72 * HOUR, "3 d ago", "3일 전"],
])("a time %i ms ago is shown as %s", (ms, inEnglish, inKorean) => {
  expect([formatTimeAgo(ms, english), formatTimeAgo(ms, korean)]).toEqual([inEnglish, inKorean]);
});
