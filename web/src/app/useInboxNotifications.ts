/** Shows a notification for each new inbox entry while the page is not in focus. */

import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { InboxEntry } from "~/api/generated";
import { useInbox } from "~/api/hooks";
import { localizedText } from "~/components/localizedText";
import { useOpenEntry } from "~/components/navigation";
import { notificationsAreOn } from "./notificationSetting";
import { notifyOnce, shareFocusWithTabs } from "./notifyOnce";

/** The known inbox entries by name, and what closes the notification that this tab showed. */
type KnownEntries = Map<string, Promise<(() => void) | null> | null>;

export function useInboxNotifications(): void {
  const { t, i18n } = useTranslation();
  const openEntry = useOpenEntry();
  const inbox = useInbox().data;
  const known = useRef<KnownEntries | null>(null);
  useEffect(shareFocusWithTabs, []);
  useEffect(() => {
    if (!inbox) return;
    const before = known.current;
    // Entries that were there when the page was opened are not new.
    const added = before && notificationsAreOn() ? inbox.filter((row) => !before.has(entryId(row))) : [];
    const notified = added.map((row) => {
      const { run, task } = row;
      const name = entryId(row);
      const title = `${task ?? run} · ${t("state.needsAnswer")}`;
      return [
        name,
        notifyOnce(name, () =>
          showNotification(title, localizedText(row, i18n.language), name, () => openEntry(row)),
        ),
      ] as const;
    });
    known.current = new Map([
      ...inbox.map((row) => [entryId(row), before?.get(entryId(row)) ?? null] as const),
      ...notified,
    ]);
    // A settled entry needs no notification.
    for (const [name, shown] of before ?? [])
      if (!known.current.has(name)) void shown?.then((close) => close?.());
  }, [inbox, openEntry, t, i18n.language]);
}

const entryId = ({ run, item }: InboxEntry) => `${run}/${item.type}/${item.id}`;

/** Shows a notification, and returns what closes it. */
function showNotification(title: string, body: string, tag: string, open: () => unknown): () => void {
  try {
    const shown = new Notification(title, { body, tag, icon: "/favicon.svg" });
    shown.onclick = () => {
      window.focus();
      shown.close();
      void open();
    };
    return () => shown.close();
  } catch {
    // Some phones have `Notification`, but allow it only in service workers.
    return () => {};
  }
}
