import { type ScaleTime, scaleTime } from "d3-scale";
import { useTranslation } from "react-i18next";
import { useFormatDuration } from "~/components/timeFormat";
import type { Cut } from "./cuts";

type Props = {
  scale: ScaleTime<number, number>;
  cuts: readonly Cut[];
  width: number;
  left: number;
  now: number | null;
};

/** The minimum distance between two labels. */
const TICK_WIDTH = 90;

/**
 * The times with a label. They are chosen as if the axis had no cuts, at the scale that it has between them, so that
 * they are as dense as without cuts.
 */
function uncutTicks(scale: Props["scale"], cuts: readonly Cut[], width: number): Date[] {
  const [start, end] = [scale.domain()[0], scale.domain().at(-1)];
  if (!start || !end) return [];
  const cutMs = cuts.reduce((sum, cut) => sum + cut.endAt - cut.startAt, 0);
  const shownMs = end.getTime() - start.getTime() - cutMs;
  const count = Math.max(2, Math.floor(width / TICK_WIDTH));
  const dense = scaleTime([start, new Date(start.getTime() + shownMs)], [0, width]);
  const [first, second] = dense.ticks(count);
  if (!first || !second) return [];
  const step = second.getTime() - first.getTime();
  const ticks: Date[] = [];
  for (let time = first.getTime(); time <= end.getTime(); time += step) {
    const cut = cuts.find(({ startAt, endAt }) => time > startAt && time < endAt);
    // Continues with the first multiple of the step after the cut.
    if (cut) time += Math.floor((cut.endAt - time) / step) * step;
    else ticks.push(new Date(time));
  }
  return ticks;
}

/** The time axis above the bars. */
export function TimeAxis({ scale, cuts, width, left, now }: Props) {
  const { t, i18n } = useTranslation();
  const formatDuration = useFormatDuration();
  const ticks = uncutTicks(scale, cuts, width);
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
      {cuts.map(({ startAt, endAt, reason }) => (
        <g key={startAt} transform={`translate(${scale(startAt)} 0)`}>
          <title>{t(`schedule.cut.${reason}`, { duration: formatDuration(endAt - startAt) })}</title>
          <rect
            width={scale(endAt) - scale(startAt)}
            height={28}
            fill="var(--page)"
            stroke="var(--line)"
            strokeDasharray="2 3"
          />
          <text x={(scale(endAt) - scale(startAt)) / 2} y={18} textAnchor="middle" fill="var(--soft)">
            ⋯
          </text>
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
