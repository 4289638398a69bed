import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useInbox } from "~/api/hooks";
import { PLACES, type PlaceName } from "~/components/places";
import { RUN_PLACES } from "./runPlaces";

/** The places of a run as tabs. */
export function RunTabs({ run, place }: { run: string; place: PlaceName }) {
  const { t } = useTranslation();
  const inbox = useInbox(run).data ?? [];
  const counts: Partial<Record<PlaceName, number>> = {
    "needs-you": inbox.length,
    review: inbox.filter(({ item }) => item.type === "gate").length,
  };
  const box = useRef<HTMLElement>(null);
  // On a small screen not all tabs are visible.
  useEffect(() => {
    box.current
      ?.querySelector(`[data-place="${place}"]`)
      ?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [place]);
  return (
    <nav
      ref={box}
      aria-label={t("nav.places")}
      className="flex shrink-0 gap-1 overflow-x-auto border-line border-b bg-panel px-3 [scrollbar-width:none]"
    >
      {PLACES.map((id) => {
        const { icon: Icon } = RUN_PLACES[id];
        return (
          <Link
            key={id}
            data-place={id}
            to="/runs/$run/$place"
            params={{ run, place: id }}
            aria-current={place === id ? "page" : undefined}
            className="inline-flex min-h-9 items-center gap-1.5 whitespace-nowrap border-transparent border-b-2 px-2.5 font-medium text-soft outline-offset-[-2px] hover:text-ink aria-[current]:border-ink aria-[current]:text-ink max-md:min-h-11"
          >
            <Icon aria-hidden size={15} />
            {t(`place.${id}`)}
            {(counts[id] ?? 0) > 0 && <b className="text-ask tabular-nums">{counts[id]}</b>}
          </Link>
        );
      })}
    </nav>
  );
}
