import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useInbox } from "~/api/hooks";
import { RUN_VIEWS } from "./runViews";

export function RunTabs({ run, view }: { run: string; view: string }) {
  const { t } = useTranslation();
  const n = useInbox(run).data?.length ?? 0;
  const box = useRef<HTMLElement>(null);
  // On a small screen not all tabs are visible.
  useEffect(() => {
    box.current
      ?.querySelector(`[data-view="${view}"]`)
      ?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [view]);
  return (
    <nav
      ref={box}
      aria-label={t("nav.views")}
      className="flex shrink-0 gap-1 overflow-x-auto px-4 pt-2.5 pb-1 [scrollbar-width:none]"
    >
      {RUN_VIEWS.map(({ id, icon: Icon }) => (
        <Link
          key={id}
          data-view={id}
          to="/runs/$run/$view"
          params={{ run, view: id }}
          aria-current={view === id ? "page" : undefined}
          className="inline-flex min-h-8 items-center gap-1.5 whitespace-nowrap rounded-lg border border-transparent px-2.5 font-medium text-soft hover:text-ink aria-[current]:border-line aria-[current]:bg-panel aria-[current]:text-ink max-md:min-h-10"
        >
          <Icon aria-hidden size={15} />
          {t(`view.${id}`)}
          {id === "inbox" && n > 0 && <b className="text-ask tabular-nums">{n}</b>}
        </Link>
      ))}
    </nav>
  );
}
