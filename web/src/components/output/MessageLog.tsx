import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowLeft, ArrowRight, ChevronRight, type LucideIcon, TriangleAlert } from "lucide-react";
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "~/components/Button";
import { ClockTime } from "~/components/Time";
import { VirtualList } from "~/components/VirtualList";
import type { MessageLogEntry } from "./logEntries";
import { formatMessage, summarizeMessage } from "./messageSummary";
import type { RecordWindowState } from "./recordWindow";

/** Within this distance from the end new messages are followed, and from the start earlier ones are loaded. */
const NEAR_PX = 80;

type Props = { state: RecordWindowState; onEarlier: () => void; onLater: () => void };

/** The messages to and from an agent in its own protocol, one line each, which unfolds. */
export default function MessageLog({ state, onEarlier, onLater }: Props) {
  const { t } = useTranslation();
  const { entries, hasEarlier, hasLater } = state;
  const scroller = useRef<HTMLElement>(null);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const isAtEnd = useRef(true);
  /** The first visible line, and how much of it is scrolled out. */
  const top = useRef({ key: "", above: 0 });
  const virtualizer = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    getItemKey: (n) => entries[n]?.key ?? n,
    overscan: 12,
  });
  const firstKey = entries[0]?.key;
  const lastText = entries.at(-1)?.text;

  // When earlier lines are added, the first visible line stays in place.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only added earlier lines move the others.
  useLayoutEffect(() => {
    const at = entries.findIndex(({ key }) => key === top.current.key);
    const measured = virtualizer.measurementsCache[at];
    if (scroller.current && measured && !isAtEnd.current)
      scroller.current.scrollTop = measured.start + top.current.above;
  }, [firstKey]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only added lines at the end scroll.
  useEffect(() => {
    if (isAtEnd.current && entries.length > 0)
      virtualizer.scrollToIndex(entries.length - 1, { align: "end" });
  }, [entries.length, lastText]);

  // Load earlier lines if there is room, or if the reader is already at the top.
  useEffect(() => {
    const box = scroller.current;
    const isShort = box !== null && box.scrollHeight <= box.clientHeight;
    if (box && hasEarlier && entries.length > 0 && (isShort || (!isAtEnd.current && box.scrollTop < NEAR_PX)))
      onEarlier();
  }, [entries, hasEarlier, onEarlier]);

  const onScroll = () => {
    const box = scroller.current;
    if (!box) return;
    const first = virtualizer.getVirtualItemForOffset(box.scrollTop);
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
      aria-label={t("output.messages")}
      onScroll={onScroll}
      className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
    >
      {hasEarlier && (
        <p className="flex justify-center p-2">
          <Button onClick={onEarlier}>{t("output.earlier")}</Button>
        </p>
      )}
      {entries.length === 0 && <p className="px-4 py-3 text-faint">{t("output.empty")}</p>}
      <ol className="relative" style={{ height: virtualizer.getTotalSize() }}>
        <VirtualList
          virtualizer={virtualizer}
          items={entries}
          itemProps={({ direction }) => ({ "data-direction": direction })}
        >
          {(entry) => (
            <MessageLine entry={entry} text={entry.text} isOpen={unfolded.has(entry.key)} onToggle={toggle} />
          )}
        </VirtualList>
      </ol>
    </section>
  );
}

const DIRECTION_STYLES: Record<MessageLogEntry["direction"], { icon: LucideIcon; tone: string }> = {
  output: { icon: ArrowLeft, tone: "text-run" },
  input: { icon: ArrowRight, tone: "text-check" },
  error: { icon: TriangleAlert, tone: "text-fail" },
};

type MessageLineProps = {
  entry: MessageLogEntry;
  text: string;
  isOpen: boolean;
  onToggle: (key: string) => void;
};

const MessageLine = memo(function MessageLine({ entry, text, isOpen, onToggle }: MessageLineProps) {
  const { t } = useTranslation();
  const { label, text: summary, isJson } = useMemo(() => summarizeMessage(text), [text]);
  const { icon: Icon, tone } = DIRECTION_STYLES[entry.direction];
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
          <ClockTime at={entry.at} />
        </span>
        <Icon aria-hidden size={13} className={`shrink-0 ${tone}`} />
        <span className="sr-only">{t(`output.direction.${entry.direction}`)}</span>
        {isJson && (
          <code className="max-w-[40%] shrink-0 truncate font-mono font-semibold text-soft text-xs">
            {label}
          </code>
        )}
        <span className={`min-w-0 flex-1 truncate ${isJson ? "" : "font-mono text-xs"}`}>
          {entry.isCut && !isJson ? `…${summary}` : summary}
        </span>
      </button>
      {isOpen && (
        <pre className="mx-3 mb-2 max-h-96 overflow-auto whitespace-pre-wrap rounded-lg border border-line bg-page px-3 py-2 font-mono text-xs leading-[1.5]">
          {formatMessage(text)}
        </pre>
      )}
    </>
  );
});
