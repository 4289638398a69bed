/** The browser calls whoever looks elsewhere when something new waits for them. */

import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { InboxEntry } from "~/api/generated";
import { useWaiting } from "~/api/hooks";
import { inWords } from "~/components/inWords";
import { callsAreOn } from "./calls";

export function useCalls(): void {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const waiting = useWaiting().data;
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (!waiting) return;
    const before = known.current;
    known.current = new Set(waiting.map(nameOf));
    // What was there when the page was opened is no news, and neither is what one sees.
    if (!before || !callsAreOn() || document.hasFocus()) return;
    for (const row of waiting.filter((row) => !before.has(nameOf(row)))) {
      const { run, task } = row;
      call(`${task ?? run} · ${t("state.asks")}`, inWords(row, i18n.language), nameOf(row), () =>
        task
          ? navigate({ to: "/runs/$run/tasks/$task", params: { run, task } })
          : navigate({ to: "/runs/$run/$view", params: { run, view: "inbox" } }),
      );
    }
  }, [waiting, navigate, t, i18n.language]);
}

const nameOf = ({ run, item }: InboxEntry) => `${run}/${item.type}/${item.id}`;

function call(title: string, body: string, tag: string, open: () => unknown): void {
  try {
    const shown = new Notification(title, { body, tag, icon: "/favicon.svg" });
    shown.onclick = () => {
      window.focus();
      shown.close();
      void open();
    };
  } catch {
    // Some phones have the word for it, but let only background workers call.
  }
}
