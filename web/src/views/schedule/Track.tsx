import type { ScaleTime } from "d3-scale";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { RowsByKey } from "~/api/cache";
import type { Bar, Schedule } from "~/api/generated";
import { marksText } from "~/components/marks";
import { useOpenTask } from "~/components/navigation";
import { useFormatClockTime, useFormatDuration } from "~/components/timeFormat";
import type { Cut } from "./cuts";
import { blockReasonText } from "./toSchedule";

export const TRACK_HEIGHT = 30;
const BAR_HEIGHT = 24;
/** A narrower bar has no text. */
const TEXT_WIDTH_MIN = 40;
const BAR_WIDTH_MIN = 3;

type Props = {
  bars: readonly Bar[];
  scale: ScaleTime<number, number>;
  cuts: readonly Cut[];
  width: number;
  tasks: RowsByKey<"task">;
  schedule: Schedule;
};

const FILLS: Record<Bar["kind"], { fill: string; ink: string }> = {
  past: { fill: "var(--done)", ink: "var(--panel)" },
  now: { fill: "var(--run)", ink: "var(--panel)" },
  blocked: { fill: "url(#blocked)", ink: "var(--soft)" },
  predicted: { fill: "var(--predicted)", ink: "var(--soft)" },
};

const FOR_PERSON = { fill: "url(#for-person)", ink: "var(--ask)" };

/** Whether the task waited for a person, and not for an agent or a time. */
function isBlockedByPerson({ reason }: Bar): boolean {
  return reason !== null && ["question", "request", "approval", "escalated"].includes(reason.type);
}

/** Consecutive bars, and the line of the current time. */
export function Track({ bars, scale, cuts, width, tasks, schedule }: Props) {
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: each bar has its own title.
    <svg width={width} height={TRACK_HEIGHT} className="block">
      {bars.map((bar) => (
        <BarShape key={`${bar.task} ${bar.startAt} ${bar.kind}`} bar={bar} scale={scale} tasks={tasks} />
      ))}
      {cuts.map(({ startAt, endAt }) => (
        <rect
          key={startAt}
          x={scale(startAt)}
          width={Math.max(0, scale(endAt) - scale(startAt))}
          height={TRACK_HEIGHT}
          fill="var(--page)"
          opacity={0.6}
          className="pointer-events-none"
        />
      ))}
      {schedule.endAt !== null && (
        <line
          x1={scale(schedule.nowAt)}
          x2={scale(schedule.nowAt)}
          y2={TRACK_HEIGHT}
          stroke="var(--fail)"
          strokeWidth={1.5}
        />
      )}
    </svg>
  );
}

/** The fill patterns of all tracks. They must be on the page once. */
export function FillPatterns() {
  return (
    <svg aria-hidden width={0} height={0} className="absolute">
      <StripePattern id="for-person" ground="var(--ask-soft)" stripe="var(--ask-line)" />
      <StripePattern id="blocked" ground="var(--panel)" stripe="var(--predicted)" />
    </svg>
  );
}

function StripePattern({ id, ground, stripe }: { id: string; ground: string; stripe: string }) {
  return (
    <pattern id={id} width="10" height="10" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width="10" height="10" fill={ground} />
      <rect width="5" height="10" fill={stripe} opacity="0.55" />
    </pattern>
  );
}

function BarShape({ bar, scale, tasks }: { bar: Bar; scale: Props["scale"]; tasks: Props["tasks"] }) {
  const open = useOpenTask();
  const { t, i18n } = useTranslation();
  const question = blockReasonText(bar, i18n.language);
  const label = useBarLabel(bar, question, tasks);
  const x = scale(bar.startAt);
  const width = Math.max(BAR_WIDTH_MIN, scale(bar.endAt) - x - 1);
  const isForPerson = bar.kind === "blocked" && isBlockedByPerson(bar);
  const { fill, ink } = isForPerson ? FOR_PERSON : FILLS[bar.kind];
  const failed = bar.kind === "past" && tasks[bar.task]?.state === "failed";
  const text =
    bar.kind === "blocked" ? `${isForPerson ? "?" : "‖"} ${question ?? bar.task}` : barText(t, bar, tasks);
  return (
    // biome-ignore lint/a11y/useSemanticElements: an SVG cannot contain a button.
    <g
      role="button"
      tabIndex={0}
      aria-label={label}
      data-task={bar.task}
      className="cursor-pointer outline-offset-1"
      onClick={() => open(bar.task)}
      onKeyDown={(event) => event.key === "Enter" && open(bar.task)}
    >
      <title>{label}</title>
      <rect
        x={x}
        y={3}
        width={width}
        height={BAR_HEIGHT}
        rx={Math.min(5, width / 2)}
        fill={failed ? "var(--fail)" : fill}
        stroke={bar.isCritical ? "var(--ink)" : isForPerson ? "var(--ask-line)" : "none"}
        strokeWidth={bar.isCritical ? 1.5 : 1}
      />
      {width >= TEXT_WIDTH_MIN && (
        <svg x={x} y={3} width={width - 4} height={BAR_HEIGHT} aria-hidden overflow="hidden">
          <text x={6} y={16} fill={ink} className="font-medium text-xs">
            {text}
          </text>
        </svg>
      )}
    </g>
  );
}

/** The task of a bar, with its marks. */
function barText(t: TFunction, bar: Bar, tasks: Props["tasks"]): string {
  return [`${bar.task} ${tasks[bar.task]?.title ?? ""}`.trim(), barMarks(t, bar, tasks)]
    .filter(Boolean)
    .join(" · ");
}

/** The marks of a task that has ended, beside its last bar or bars. */
function barMarks(t: TFunction, bar: Bar, tasks: Props["tasks"]): string {
  return bar.kind === "past" ? marksText(t, tasks[bar.task]?.marks ?? []) : "";
}

function useBarLabel(bar: Bar, question: string | null, tasks: Props["tasks"]): string {
  const { t } = useTranslation();
  const formatClock = useFormatClockTime();
  const formatDuration = useFormatDuration();
  const kind =
    bar.kind === "blocked"
      ? t(`schedule.reason.${bar.reason?.type ?? "question"}`)
      : t(`schedule.kind.${bar.kind}`);
  const duration = formatDuration(bar.endAt - bar.startAt);
  const time = `${formatClock(bar.startAt)} – ${formatClock(bar.endAt)} (${duration})`;
  const name = barText(t, bar, tasks);
  return [name, question ? `${kind}: ${question}` : kind, time, bar.isCritical ? t("schedule.critical") : ""]
    .filter(Boolean)
    .join("\n");
}
