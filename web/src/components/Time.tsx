import { useAgo, useFormatClock, useFormatDuration, useNow } from "./time";

/** How long ago something was, with the exact time as a tooltip. */
export function Ago({ at }: { at: number }) {
  const exact = useFormatClock();
  return (
    <time dateTime={new Date(at).toISOString()} title={exact(at)} className="whitespace-nowrap tabular-nums">
      {useAgo(at)}
    </time>
  );
}

/** The duration from a time to another one, or until now. */
export function Duration({ from, to }: { from: number; to: number | null }) {
  const now = useNow();
  const format = useFormatDuration();
  return <span className="whitespace-nowrap tabular-nums">{format((to ?? now) - from)}</span>;
}

export function Clock({ at }: { at: number }) {
  const exact = useFormatClock();
  return (
    <time dateTime={new Date(at).toISOString()} className="whitespace-nowrap tabular-nums">
      {exact(at)}
    </time>
  );
}
