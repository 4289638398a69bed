import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useInbox } from "~/api/hooks";
import { InboxList } from "~/components/inbox/InboxList";
import { RunList } from "./RunList";

/** The start page: the inbox of all runs, and the list of runs. */
export default function Home() {
  const { t } = useTranslation();
  const n = useInbox().data?.length ?? 0;
  return (
    <main id="main" className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto grid max-w-6xl grid-cols-[minmax(0,1fr)] gap-x-6 gap-y-8 p-4 md:p-6 lg:grid-cols-[minmax(0,1fr)_380px]">
        <section id="inbox" aria-labelledby="inbox-title">
          <div className="mb-2.5 flex items-baseline justify-between">
            <h1 id="inbox-title" className="font-semibold text-lg">
              {t("inbox.title")} {n > 0 && <span className="text-ask tabular-nums">{n}</span>}
            </h1>
            {n > 0 && <span className="text-faint text-xs max-md:hidden">{t("inbox.keys")}</span>}
          </div>
          <InboxList />
        </section>
        <section id="runs" aria-labelledby="runs-title">
          <div className="mb-2.5 flex items-center justify-between">
            <h2 id="runs-title" className="font-semibold text-lg">
              {t("runs.title")}
            </h2>
            <Link to="/new" className="inline-flex items-center gap-1 text-accent hover:underline">
              <Plus aria-hidden size={15} /> {t("nav.new")}
            </Link>
          </div>
          <RunList />
        </section>
      </div>
    </main>
  );
}
