/** Formats times and durations. */

import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | null = null;

/** One timer for the whole page; it stops while no component uses it. */
function subscribeToSeconds(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const notify of listeners) notify();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer) {
      clearInterval(timer);
      timer = null;
    }
  };
}

/** The current time, updated every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribeToSeconds, () => now);
}

type Translate = (key: string, values: Record<string, unknown>) => string;

/** Formats a duration in at most two units: 42 s, 1 m 12 s, 2 h 5 m, 3 d. */
export function formatDuration(milliseconds: number, t: Translate): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return t("duration.seconds", { n: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("duration.minutes", { n: minutes, seconds: seconds % 60 });
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return t("duration.hours", { n: hours, minutes: minutes % 60 });
  return t("duration.days", { n: Math.floor(hours / 24) });
}

/** Formats how long ago something was in its largest unit: just now, 42 s ago, 2 min ago, 3 h ago, 3 d ago. */
export function formatTimeAgo(milliseconds: number, t: Translate): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 5) return t("ago.now", {});
  if (seconds < 60) return t("ago.seconds", { n: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("ago.minutes", { n: minutes });
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return t("ago.hours", { n: hours });
  return t("ago.days", { n: Math.floor(hours / 24) });
}

export function useFormatDuration(): (milliseconds: number) => string {
  const { t } = useTranslation();
  return (milliseconds) => formatDuration(milliseconds, t);
}

/** How long ago something was, kept current. */
export function useTimeAgo(at: number): string {
  const { t } = useTranslation();
  return formatTimeAgo(useNow() - at, t);
}

/** Formats a time of day to the second or to the minute, with the date if it is not today. */
export function formatClockTime(at: number, language: string, isToSecond = true): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(language, {
    hour: "2-digit",
    minute: "2-digit",
    ...(isToSecond && { second: "2-digit" }),
    hourCycle: "h23",
    ...(!isToday && { month: "short", day: "numeric" }),
  }).format(date);
}

export function useFormatClockTime(): (at: number) => string {
  const { i18n } = useTranslation();
  return (at) => formatClockTime(at, i18n.language);
}

/** Formats a time of day to the minute. */
export function useFormatTimeOfDay(): (at: number) => string {
  const { i18n } = useTranslation();
  return (at) => formatClockTime(at, i18n.language, false);
}
