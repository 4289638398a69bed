import { useFormatClockTime, useFormatDuration, useNow, useTimeAgo } from "./timeFormat";

/** How long ago something was, with the exact time as a tooltip. */
export function TimeAgo({ at }: { at: number }) {
  const exact = useFormatClockTime();
  return (
    <time dateTime={new Date(at).toISOString()} title={exact(at)} className="whitespace-nowrap tabular-nums">
      {useTimeAgo(at)}
    </time>
  );
}

/** The duration from a time to another one, or until now. */
export function Duration({ from, to }: { from: number; to: number | null }) {
  const now = useNow();
  const format = useFormatDuration();
  return <span className="whitespace-nowrap tabular-nums">{format((to ?? now) - from)}</span>;
}

export function ClockTime({ at }: { at: number }) {
  const exact = useFormatClockTime();
  return (
    <time dateTime={new Date(at).toISOString()} className="whitespace-nowrap tabular-nums">
      {exact(at)}
    </time>
  );
}
