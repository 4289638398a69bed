import { useTranslation } from "react-i18next";
import type { Schedule } from "~/api/generated";
import { useFormatClockTime, useFormatDuration } from "~/components/timeFormat";

/** The meaning of the bars, and the predicted end of the run. */
export function Legend({ schedule, hasCuts }: { schedule: Schedule; hasCuts: boolean }) {
  const { t } = useTranslation();
  const formatClock = useFormatClockTime();
  const formatDuration = useFormatDuration();
  const { endAt, nowAt, nGuessed, nStuck } = schedule;
  return (
    <>
      <ul className="flex flex-wrap gap-x-3 text-soft text-xs">
        <LegendItem className="bg-done">{t("schedule.kind.past")}</LegendItem>
        <LegendItem className="bg-run">{t("schedule.kind.now")}</LegendItem>
        <LegendItem className="border border-ask-line bg-ask-soft">{t("schedule.waitingForYou")}</LegendItem>
        <LegendItem className="bg-wait/30">{t("schedule.kind.predicted")}</LegendItem>
        <LegendItem className="border-[1.5px] border-ink">{t("schedule.critical")}</LegendItem>
        {hasCuts && (
          <LegendItem className="border border-wait border-dashed bg-page">{t("schedule.cutOut")}</LegendItem>
        )}
      </ul>
      <p className="ml-auto text-soft text-sm">
        {endAt !== null && (
          <b className="font-semibold text-ink tabular-nums">
            {t("schedule.end", { time: formatClock(endAt), duration: formatDuration(endAt - nowAt) })}
          </b>
        )}
        {endAt !== null && nGuessed > 0 && (
          <span title={t("schedule.guessedHint")}> · {t("schedule.guessed", { count: nGuessed })}</span>
        )}
        {nStuck > 0 && <span className="text-fail">{t("schedule.stuck", { count: nStuck })}</span>}
      </p>
    </>
  );
}

function LegendItem({ className, children }: { className: string; children: string }) {
  return (
    <li className="flex items-center gap-1.5">
      <span aria-hidden className={`inline-block h-2.5 w-4 rounded-sm ${className}`} />
      {children}
    </li>
  );
}
