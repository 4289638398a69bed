import { useTranslation } from "react-i18next";
import { useInbox } from "~/api/hooks";
import { InboxList } from "~/components/inbox/InboxList";
import { useIsPanelOpen } from "~/components/navigation";

/** The inbox of the run, beside the view on wide screens. */
export function InboxAside({ run }: { run: string }) {
  const { t } = useTranslation();
  const isPanelOpen = useIsPanelOpen();
  const n = useInbox(run).data?.length ?? 0;
  if (n === 0) return null;
  return (
    <aside
      aria-label={t("inbox.title")}
      className="hidden w-[348px] shrink-0 flex-col overflow-y-auto border-line border-l bg-panel p-3.5 xl:flex"
    >
      <h2 className="mb-2 flex justify-between font-semibold">
        {t("inbox.title")} <span className="font-normal text-faint text-xs">{t("inbox.keys")}</span>
      </h2>
      <InboxList run={run} keys={!isPanelOpen} />
    </aside>
  );
}
