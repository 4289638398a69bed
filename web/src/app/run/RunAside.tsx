import { useTranslation } from "react-i18next";
import { useWaiting } from "~/api/hooks";
import { InboxList } from "~/components/ask/InboxList";
import { usePanelIsOpen } from "~/components/open";

/** What waits for a person, beside every view that has the room. */
export function RunAside({ run }: { run: string }) {
  const { t } = useTranslation();
  const isBehind = usePanelIsOpen();
  const n = useWaiting(run).data?.length ?? 0;
  if (n === 0) return null;
  return (
    <aside
      aria-label={t("inbox.title")}
      className="hidden w-[348px] shrink-0 flex-col overflow-y-auto border-line border-l bg-panel p-3.5 xl:flex"
    >
      <h2 className="mb-2 flex justify-between font-semibold">
        {t("inbox.title")} <span className="font-normal text-faint text-xs">{t("inbox.keys")}</span>
      </h2>
      <InboxList run={run} keys={!isBehind} />
    </aside>
  );
}
