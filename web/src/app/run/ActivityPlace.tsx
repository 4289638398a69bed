import { useTranslation } from "react-i18next";
import { Chat } from "~/views/chat/Chat";
import { Timeline } from "~/views/timeline/Timeline";

/** The chat with the orchestrator, and beside it what happened; on a narrow screen one below the other. */
export default function ActivityPlace({ run }: { run: string }) {
  const { t } = useTranslation();
  return (
    <div className="flex h-full max-xl:flex-col max-xl:overflow-y-auto">
      <section
        aria-label={t("view.chat")}
        className="border-line bg-panel/40 xl:w-[440px] xl:shrink-0 xl:border-r max-xl:h-[80dvh] max-xl:shrink-0 max-xl:border-b"
      >
        <h2 className="sr-only">{t("view.chat")}</h2>
        <Chat run={run} />
      </section>
      <div className="min-w-0 flex-1 max-xl:h-[80dvh] max-xl:shrink-0">
        <Timeline run={run} />
      </div>
    </div>
  );
}
