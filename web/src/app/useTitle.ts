/** The title and the sign of the tab count what waits for a person, and the browser calls who looks elsewhere. */

import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useWaiting } from "~/api/hooks";

export function useTitle(): void {
  const { t } = useTranslation();
  const waiting = useWaiting().data;
  const n = waiting?.length ?? 0;
  useEffect(() => {
    document.title = n > 0 ? `(${n}) Jangdan` : "Jangdan";
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (link) link.href = n > 0 ? counted(n) : "/favicon.svg";
  }, [n]);
  const known = useRef<Set<string> | null>(null);
  useEffect(() => {
    if (!waiting) return;
    const names = new Set(waiting.map(({ run, item }) => `${run}/${item.type}/${item.id}`));
    const before = known.current;
    known.current = names;
    const isAllowed = "Notification" in globalThis && Notification.permission === "granted";
    // What was there when the page was opened is no news.
    if (!before || !isAllowed || !document.hidden) return;
    for (const row of waiting) {
      const name = `${row.run}/${row.item.type}/${row.item.id}`;
      if (before.has(name)) continue;
      const call = new Notification(`${row.task ?? "Jangdan"} · ${t("state.asks")}`, {
        body: row.text,
        tag: name,
      });
      call.onclick = () => window.focus();
    }
  }, [waiting, t]);
}

function counted(n: number): string {
  const said = n > 9 ? "9+" : String(n);
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#c77700"/><text x="16" y="23" font-family="sans-serif" font-weight="700" font-size="19" text-anchor="middle" fill="#fff">${said}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(picture)}`;
}
