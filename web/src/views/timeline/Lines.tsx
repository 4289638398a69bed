import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { TimelineRow } from "~/api/generated";
import { InSight } from "~/components/InSight";
import { useInWords } from "~/components/inWords";
import { useOpening } from "~/components/opening";
import { Clock } from "~/components/Time";
import { type Topic, topicOf } from "./toTimeline";

const DOTS: Record<Topic, string> = {
  question: "bg-ask",
  task: "bg-run",
  phase: "bg-check",
  session: "bg-wait",
  problem: "bg-fail",
  run: "bg-ink",
};

/** The lines; only those in sight are drawn. */
export function Lines({ lines }: { lines: readonly TimelineRow[] }) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLElement>(null);
  const shown = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    getItemKey: (n) => lines[n]?.sequence ?? n,
    overscan: 12,
  });
  return (
    <section
      ref={scroller}
      tabIndex={0}
      aria-label={t("view.timeline")}
      className="min-h-64 flex-1 overflow-y-auto rounded-xl border border-line bg-panel"
    >
      <ol className="relative" style={{ height: shown.getTotalSize() }}>
        <InSight shown={shown} items={lines}>
          {(line) => <Line line={line} />}
        </InSight>
      </ol>
    </section>
  );
}

function Line({ line }: { line: TimelineRow }) {
  const { t } = useTranslation();
  const opening = useOpening();
  const inWords = useInWords();
  const topic = topicOf(line);
  const isAsked = topic === "question";
  return (
    <div
      className={`grid @min-[640px]:grid-cols-[minmax(64px,max-content)_10px_116px_1fr_auto] grid-cols-[minmax(64px,max-content)_10px_1fr] items-baseline gap-x-2.5 px-3.5 py-1 ${isAsked ? "bg-ask-soft" : ""}`}
    >
      <span className="text-soft text-xs">
        <Clock at={line.happenedAt} />
      </span>
      <i aria-hidden className={`mt-1.5 size-2 self-start rounded-full ${DOTS[topic]}`} />
      <span className={`truncate font-medium ${isAsked ? "text-ask" : "text-soft"}`}>
        {t(`event.${line.kind}`, { defaultValue: line.kind })}
      </span>
      <span dir="auto" className="min-w-0 @max-[640px]:col-span-2 @max-[640px]:col-start-2">
        {inWords(line)}
      </span>
      {line.task && (
        <button
          type="button"
          {...opening(line.task)}
          className="rounded font-mono font-semibold text-accent text-xs hover:underline @max-[640px]:hidden"
        >
          {line.task}
        </button>
      )}
    </div>
  );
}
