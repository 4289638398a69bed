import type { ScaleTime } from "d3-scale";
import { useTranslation } from "react-i18next";

type Props = { scale: ScaleTime<number, number>; width: number; left: number; now: number | null };

/** The minimum distance between two labels. */
const TICK_WIDTH = 90;

/** The time axis above the bars. */
export function TimeAxis({ scale, width, left, now }: Props) {
  const { t, i18n } = useTranslation();
  const ticks = scale.ticks(Math.max(2, Math.floor(width / TICK_WIDTH)));
  const [first, second] = ticks;
  const isFine = first !== undefined && second !== undefined && second.getTime() - first.getTime() < 60_000;
  const format = new Intl.DateTimeFormat(i18n.language, {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...(isFine && { second: "2-digit" }),
  });
  // The label of the current time would cover these.
  const isHidden = (x: number) => now !== null && x > scale(now) - (isFine ? 76 : 58) && x < scale(now) + 18;
  return (
    <svg
      aria-hidden
      width={width}
      height={28}
      className="sticky top-0 z-20 block bg-panel text-faint text-xs"
      style={{ marginLeft: left }}
    >
      {ticks.map((tick) => (
        <g key={tick.getTime()} transform={`translate(${scale(tick)} 0)`}>
          {!isHidden(scale(tick)) && (
            <text y={18} x={3} fill="currentColor" className="tabular-nums">
              {format.format(tick)}
            </text>
          )}
          <line y1={6} y2={28} stroke="var(--line)" />
        </g>
      ))}
      {now !== null && (
        <g transform={`translate(${scale(now)} 0)`}>
          <rect x={-18} y={4} width={36} height={18} rx={6} fill="var(--fail)" />
          <text y={17} textAnchor="middle" fill="var(--panel)" className="font-semibold">
            {t("schedule.now")}
          </text>
        </g>
      )}
    </svg>
  );
}
