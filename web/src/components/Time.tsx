import { useAgo, useClock, useNow, useSpan } from "./time";

/** How long ago, with the exact moment behind it. */
export function Ago({ at }: { at: number }) {
  const exact = useClock();
  return (
    <time dateTime={new Date(at).toISOString()} title={exact(at)} className="whitespace-nowrap tabular-nums">
      {useAgo(at)}
    </time>
  );
}

/** How long something lasts, or lasted. */
export function Lasted({ from, to }: { from: number; to: number | null }) {
  const now = useNow();
  const span = useSpan();
  return <span className="whitespace-nowrap tabular-nums">{span((to ?? now) - from)}</span>;
}

export function Clock({ at }: { at: number }) {
  const exact = useClock();
  return (
    <time dateTime={new Date(at).toISOString()} className="whitespace-nowrap tabular-nums">
      {exact(at)}
    </time>
  );
}
