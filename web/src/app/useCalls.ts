/** The browser calls whoever looks elsewhere when something new waits for them. */

import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { InboxEntry } from "~/api/generated";
import { useWaiting } from "~/api/hooks";
import { inWords } from "~/components/inWords";
import { callOnce, tellWhoLooks } from "./calling";
import { callsAreOn } from "./calls";

/** What waits, and what ends the call about it where this tab has called. */
type Known = Map<string, Promise<(() => void) | null> | null>;

export function useCalls(): void {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const waiting = useWaiting().data;
  const known = useRef<Known | null>(null);
  useEffect(tellWhoLooks, []);
  useEffect(() => {
    if (!waiting) return;
    const before = known.current;
    // What was there when the page was opened is no news.
    const news = before && callsAreOn() ? waiting.filter((row) => !before.has(nameOf(row))) : [];
    const calls = news.map((row) => {
      const { run, task } = row;
      const open = () =>
        task
          ? navigate({ to: "/runs/$run/tasks/$task", params: { run, task } })
          : navigate({ to: "/runs/$run/$view", params: { run, view: "inbox" } });
      const name = nameOf(row);
      const title = `${task ?? run} · ${t("state.asks")}`;
      return [name, callOnce(name, () => call(title, inWords(row, i18n.language), name, open))] as const;
    });
    known.current = new Map([
      ...waiting.map((row) => [nameOf(row), before?.get(nameOf(row)) ?? null] as const),
      ...calls,
    ]);
    // What waits no more needs no call.
    for (const [name, called] of before ?? [])
      if (!known.current.has(name)) void called?.then((end) => end?.());
  }, [waiting, navigate, t, i18n.language]);
}

const nameOf = ({ run, item }: InboxEntry) => `${run}/${item.type}/${item.id}`;

/** Calls, and returns what ends the call. */
function call(title: string, body: string, tag: string, open: () => unknown): () => void {
  try {
    const shown = new Notification(title, { body, tag, icon: "/favicon.svg" });
    shown.onclick = () => {
      window.focus();
      shown.close();
      void open();
    };
    return () => shown.close();
  } catch {
    // Some phones have the word for it, but let only background workers call.
    return () => {};
  }
}
