import { useTranslation } from "react-i18next";
import type { Schedule } from "~/api/generated";
import { useClock, useSpan } from "~/components/time";

/** When it is thought to end, and how sure that is. */
export function Legend({ schedule }: { schedule: Schedule }) {
  const { t } = useTranslation();
  const clock = useClock();
  const span = useSpan();
  const { endAt, nowAt, nGuessed, nStuck } = schedule;
  return (
    <>
      <ul className="flex flex-wrap gap-x-3 text-soft text-xs">
        <Key look="bg-done">{t("schedule.kind.past")}</Key>
        <Key look="bg-run">{t("schedule.kind.now")}</Key>
        <Key look="border border-ask-line bg-ask-soft">{t("schedule.blocked")}</Key>
        <Key look="bg-wait/30">{t("schedule.kind.predicted")}</Key>
        <Key look="border-[1.5px] border-ink">{t("schedule.critical")}</Key>
      </ul>
      <p className="ml-auto text-soft text-sm">
        {endAt !== null && (
          <b className="font-semibold text-ink tabular-nums">
            {t("schedule.end", { at: clock(endAt), span: span(endAt - nowAt) })}
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

function Key({ look, children }: { look: string; children: string }) {
  return (
    <li className="flex items-center gap-1.5">
      <span aria-hidden className={`inline-block h-2.5 w-4 rounded-sm ${look}`} />
      {children}
    </li>
  );
}
