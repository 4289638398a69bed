import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowLeft, ArrowRight, ChevronRight, type LucideIcon, TriangleAlert } from "lucide-react";
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "~/components/Button";
import { InSight } from "~/components/InSight";
import { Clock } from "~/components/Time";
import type { Entry } from "./entries";
import { inFull, summarize } from "./summary";
import type { WindowState } from "./window";

/** Whoever is nearer to the end than this reads the end; nearer to the start, wants what is before it. */
const NEAR_PX = 80;

type Props = { state: WindowState; onEarlier: () => void; onLater: () => void };

/** What an agent was told and said in its own protocol: a line for each, which unfolds. Only those in sight are drawn. */
export default function Lines({ state, onEarlier, onLater }: Props) {
  const { t } = useTranslation();
  const { entries, hasEarlier, hasLater } = state;
  const scroller = useRef<HTMLElement>(null);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const isAtEnd = useRef(true);
  /** The line at the top of what is seen, and how much of it is above. */
  const top = useRef({ key: "", above: 0 });
  const shown = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    getItemKey: (n) => entries[n]?.key ?? n,
    overscan: 12,
  });
  const firstKey = entries[0]?.key;
  const lastText = entries.at(-1)?.text;

  // What comes in above pushes nothing away: the line that was at the top stays there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another beginning moves the lines.
  useLayoutEffect(() => {
    const at = entries.findIndex(({ key }) => key === top.current.key);
    const place = shown.measurementsCache[at];
    if (scroller.current && place && !isAtEnd.current)
      scroller.current.scrollTop = place.start + top.current.above;
  }, [firstKey]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what comes at the end is followed.
  useEffect(() => {
    if (isAtEnd.current && entries.length > 0) shown.scrollToIndex(entries.length - 1, { align: "end" });
  }, [entries.length, lastText]);

  // What fits is shown without being asked for, and nobody who waits at the top waits in vain.
  useEffect(() => {
    const box = scroller.current;
    const isShort = box !== null && box.scrollHeight <= box.clientHeight;
    if (box && hasEarlier && entries.length > 0 && (isShort || (!isAtEnd.current && box.scrollTop < NEAR_PX)))
      onEarlier();
  }, [entries, hasEarlier, onEarlier]);

  const onScroll = () => {
    const box = scroller.current;
    if (!box) return;
    const first = shown.getVirtualItemForOffset(box.scrollTop);
    if (first) top.current = { key: String(first.key), above: box.scrollTop - first.start };
    const below = box.scrollHeight - box.scrollTop - box.clientHeight;
    isAtEnd.current = below < NEAR_PX && !hasLater;
    if (box.scrollTop < NEAR_PX && hasEarlier) onEarlier();
    if (below < NEAR_PX && hasLater) onLater();
  };
  const toggle = (key: string) =>
    setUnfolded((before) => {
      const after = new Set(before);
      if (!after.delete(key)) after.add(key);
      return after;
    });

  return (
    <section
      ref={scroller}
      tabIndex={0}
      aria-label={t("output.lines")}
      onScroll={onScroll}
      className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
    >
      {hasEarlier && (
        <p className="flex justify-center p-2">
          <Button onClick={onEarlier}>{t("output.earlier")}</Button>
        </p>
      )}
      {entries.length === 0 && <p className="px-4 py-3 text-faint">{t("output.empty")}</p>}
      <ol className="relative" style={{ height: shown.getTotalSize() }}>
        <InSight shown={shown} items={entries} line={({ way }) => ({ "data-way": way })}>
          {(entry) => (
            <Line entry={entry} text={entry.text} isOpen={unfolded.has(entry.key)} onToggle={toggle} />
          )}
        </InSight>
      </ol>
    </section>
  );
}

const SIGNS: Record<Entry["way"], { icon: LucideIcon; tone: string }> = {
  output: { icon: ArrowLeft, tone: "text-run" },
  input: { icon: ArrowRight, tone: "text-check" },
  error: { icon: TriangleAlert, tone: "text-fail" },
};

type LineProps = { entry: Entry; text: string; isOpen: boolean; onToggle: (key: string) => void };

const Line = memo(function Line({ entry, text, isOpen, onToggle }: LineProps) {
  const { t } = useTranslation();
  const { what, text: words, isJson } = useMemo(() => summarize(text), [text]);
  const { icon: Icon, tone } = SIGNS[entry.way];
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => onToggle(entry.key)}
        className="flex w-full items-center gap-2 px-3 py-1 text-left outline-offset-[-2px] hover:bg-page max-md:min-h-9"
      >
        <ChevronRight aria-hidden size={13} className={`shrink-0 text-faint ${isOpen ? "rotate-90" : ""}`} />
        <span className="shrink-0 text-soft text-xs max-md:sr-only">
          <Clock at={entry.at} />
        </span>
        <Icon aria-hidden size={13} className={`shrink-0 ${tone}`} />
        <span className="sr-only">{t(`output.way.${entry.way}`)}</span>
        {isJson && (
          <code className="max-w-[40%] shrink-0 truncate font-mono font-semibold text-soft text-xs">
            {what}
          </code>
        )}
        <span className={`min-w-0 flex-1 truncate ${isJson ? "" : "font-mono text-xs"}`}>
          {entry.isCut && !isJson ? `…${words}` : words}
        </span>
      </button>
      {isOpen && (
        <pre className="mx-3 mb-2 max-h-96 overflow-auto whitespace-pre-wrap rounded-lg border border-line bg-page px-3 py-2 font-mono text-xs leading-[1.5]">
          {inFull(text)}
        </pre>
      )}
    </>
  );
});
