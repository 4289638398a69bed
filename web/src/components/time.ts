/** Moments and spans as people read them. */

import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | null = null;

/** One clock for the whole page, which stands still while nobody looks at it. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const told of listeners) told();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer) {
      clearInterval(timer);
      timer = null;
    }
  };
}

/** The present moment, to the second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

type Words = (key: string, values: Record<string, unknown>) => string;

/** Writes a span in its largest unit that fits: 42 s, 3 min, 2 h 5 min, 3 d. */
export function span(milliseconds: number, t: Words): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return t("time.seconds", { n: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("time.minutes", { n: minutes });
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return t("time.hours", { n: hours, minutes: minutes % 60 });
  return t("time.days", { n: Math.floor(hours / 24) });
}

export function useSpan(): (milliseconds: number) => string {
  const { t } = useTranslation();
  return (milliseconds) => span(milliseconds, t);
}

/** How long ago something was, kept current. */
export function useAgo(at: number): string {
  const { t } = useTranslation();
  const since = useNow() - at;
  return since < 5000 ? t("time.now") : t("time.ago", { span: span(since, t) });
}

/** The time of a day, and the day where it is not today. */
export function clock(at: number, language: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(language, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    ...(!isToday && { month: "short", day: "numeric" }),
  }).format(date);
}

export function useClock(): (at: number) => string {
  const { i18n } = useTranslation();
  return (at) => clock(at, i18n.language);
}
