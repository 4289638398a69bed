import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { TimelineRow } from "~/api/generated";
import { useRow } from "~/api/hooks";
import { useEventText } from "~/components/eventText";
import type { EventTopic } from "~/components/eventTopics";
import { useOpenTask } from "~/components/navigation";
import { ClockTime } from "~/components/Time";
import { VirtualList } from "~/components/VirtualList";
import { eventTopic } from "./toTimeline";

const DOTS: Record<EventTopic, string> = {
  question: "bg-ask",
  task: "bg-run",
  phase: "bg-check",
  session: "bg-wait",
  problem: "bg-fail",
  run: "bg-ink",
};

/** The events of a run. Only visible ones are rendered. */
export function EventList({ run, events }: { run: string; events: readonly TimelineRow[] }) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    getItemKey: (n) => events[n]?.sequence ?? n,
    overscan: 12,
  });
  return (
    <section
      ref={scroller}
      tabIndex={0}
      aria-label={t("view.timeline")}
      className="min-h-64 flex-1 overflow-y-auto rounded-xl border border-line bg-panel"
    >
      <ol className="relative" style={{ height: virtualizer.getTotalSize() }}>
        <VirtualList virtualizer={virtualizer} items={events}>
          {(event) => <EventLine run={run} event={event} />}
        </VirtualList>
      </ol>
    </section>
  );
}

function EventLine({ run, event }: { run: string; event: TimelineRow }) {
  const { t } = useTranslation();
  const open = useOpenTask();
  const eventText = useEventText();
  const task = useRow(run, "task", event.task);
  const topic = eventTopic(event);
  const isQuestion = topic === "question";
  return (
    <div
      className={`grid @min-[640px]:grid-cols-[minmax(64px,max-content)_10px_116px_minmax(0,1fr)_minmax(0,220px)] grid-cols-[minmax(64px,max-content)_10px_1fr] items-baseline gap-x-2.5 px-3.5 py-1 ${isQuestion ? "bg-ask-soft" : ""}`}
    >
      <span className="text-soft text-xs">
        <ClockTime at={event.happenedAt} />
      </span>
      <i aria-hidden className={`mt-1.5 size-2 self-start rounded-full ${DOTS[topic]}`} />
      <span className={`truncate font-medium ${isQuestion ? "text-ask" : "text-soft"}`}>
        {t(`event.${event.kind}`, { defaultValue: event.kind })}
      </span>
      <span dir="auto" className="min-w-0 @max-[640px]:col-span-2 @max-[640px]:col-start-2">
        {eventText(event)}
      </span>
      {event.task && (
        <button
          type="button"
          onClick={() => event.task && open(event.task)}
          className="min-w-0 truncate rounded text-left text-soft text-xs hover:text-ink hover:underline @max-[640px]:col-span-2 @max-[640px]:col-start-2 max-md:min-h-11"
        >
          <code className="font-mono font-semibold text-accent">{event.task}</code> {task?.title}
        </button>
      )}
    </div>
  );
}
