import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useRows } from "~/api/hooks";
import { useEventText } from "~/components/eventText";
import { isSystemDetail } from "~/components/systemDetail";
import { useFormatTimeOfDay } from "~/components/timeFormat";
import { OverviewSection } from "./OverviewSection";

const LISTED_MAX = 10;

/** The latest events of a run. */
export function RecentEvents({ run }: { run: string }) {
  const { t } = useTranslation();
  const eventText = useEventText();
  const formatTime = useFormatTimeOfDay();
  const rows = useRows(run, "timeline").data;
  const events = useMemo(
    () =>
      Object.values(rows ?? {})
        .filter(({ kind }) => !isSystemDetail(kind))
        .sort((left, right) => right.sequence - left.sequence)
        .slice(0, LISTED_MAX),
    [rows],
  );
  return (
    <OverviewSection
      title={t("overview.recent")}
      link={
        <Link
          to="/runs/$run/$place"
          params={{ run, place: "activity" }}
          className="rounded text-accent hover:underline"
        >
          {t("place.activity")}
        </Link>
      }
    >
      {events.length === 0 && <p className="px-4 py-3 text-soft">{t("overview.noEvents")}</p>}
      <ol>
        {events.map((event) => (
          <li
            key={event.sequence}
            className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 border-line border-t px-4 py-1.5"
          >
            <time
              dateTime={new Date(event.happenedAt).toISOString()}
              className="whitespace-nowrap text-soft text-xs leading-[19px] tabular-nums"
            >
              {formatTime(event.happenedAt)}
            </time>
            <span dir="auto" className="line-clamp-2">
              {eventText(event)}
            </span>
          </li>
        ))}
      </ol>
    </OverviewSection>
  );
}
