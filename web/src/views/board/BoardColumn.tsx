import { dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Priority, TaskRow } from "~/api/generated";
import { VirtualList } from "~/components/VirtualList";
import { BoardCard } from "./BoardCard";
import { readCardData, sectionData } from "./drag";
import { type Column, isByPriority, toPrioritySections } from "./toBoard";

type Props = {
  run: string;
  column: Column;
  /** While a card is dragged, priorities without tasks are shown, too. */
  isDragging: boolean;
  onPriority: (task: string, priority: Priority) => void;
};

export function BoardColumn({ run, column, isDragging, onPriority }: Props) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const needsAnswer = column.id === "needsAnswer";
  const isEmpty = column.tasks.length === 0;
  return (
    <section
      aria-label={t(`board.${column.id}`)}
      className={`flex flex-col rounded-xl border bg-panel/60 ${needsAnswer ? "border-ask-line" : "border-line"} ${isEmpty ? "w-32 shrink-0" : "min-w-52 max-w-96 flex-1"}`}
    >
      <h2 className="flex justify-between px-3.5 py-2.5 font-semibold">
        <span className={needsAnswer ? "text-ask" : ""}>{t(`board.${column.id}`)}</span>
        <span className="font-normal text-soft tabular-nums">{column.tasks.length}</span>
      </h2>
      <div ref={scroller} tabIndex={0} className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {isEmpty ? (
          <p className="px-2 py-3 text-center text-soft">{t("board.empty")}</p>
        ) : isByPriority(column.id) ? (
          <PrioritySections
            run={run}
            column={column}
            isDragging={isDragging}
            onPriority={onPriority}
            scroller={scroller}
          />
        ) : (
          <CardList run={run} tasks={column.tasks} onPriority={onPriority} scroller={scroller} />
        )}
      </div>
    </section>
  );
}

type ScrollerProps = { scroller: React.RefObject<HTMLDivElement | null> };

/** Tasks that have not started, by priority. Dragging a card to another section changes its priority. */
function PrioritySections({ run, column, isDragging, onPriority, scroller }: Props & ScrollerProps) {
  const { t } = useTranslation();
  const sections = toPrioritySections(column.tasks);
  const isPlain = sections.every(({ priority, tasks }) => priority === "normal" || tasks.length === 0);
  return sections.map(({ priority, tasks }) => (
    <PriorityDropZone key={priority} priority={priority}>
      {(isDragging || (tasks.length > 0 && !isPlain)) && (
        <h3 className="px-1.5 py-1 font-medium text-soft text-xs">{t(`priority.${priority}`)}</h3>
      )}
      <CardList run={run} tasks={tasks} isDraggable onPriority={onPriority} scroller={scroller} />
    </PriorityDropZone>
  ));
}

function PriorityDropZone({ priority, children }: { priority: Priority; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    if (!box.current) return;
    return dropTargetForElements({
      element: box.current,
      canDrop: ({ source }) => readCardData(source.data) !== null,
      getData: () => sectionData(priority),
      onDragEnter: () => setIsOver(true),
      onDragLeave: () => setIsOver(false),
      onDrop: () => setIsOver(false),
    });
  }, [priority]);
  return (
    <div
      ref={box}
      className={`rounded-lg pb-1 empty:pb-0 ${isOver ? "bg-accent-soft outline-2 outline-accent" : ""}`}
    >
      {children}
    </div>
  );
}

/** Beyond this only visible cards are rendered. */
const RENDER_ALL_MAX = 60;

type CardListProps = ScrollerProps & {
  run: string;
  tasks: readonly TaskRow[];
  isDraggable?: boolean;
  onPriority: Props["onPriority"];
};

function CardList({ tasks, scroller, ...card }: CardListProps) {
  if (tasks.length > RENDER_ALL_MAX) return <VirtualCardList tasks={tasks} scroller={scroller} {...card} />;
  return (
    <ul className="flex flex-col gap-2">
      {tasks.map((task) => (
        <li key={task.id}>
          <BoardCard {...card} task={task} />
        </li>
      ))}
    </ul>
  );
}

function VirtualCardList({ tasks, scroller, ...card }: CardListProps) {
  const list = useRef<HTMLUListElement>(null);
  const virtualizer = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 76,
    getItemKey: (n) => tasks[n]?.id ?? n,
    gap: 8,
    overscan: 6,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  return (
    <ul ref={list} className="relative" style={{ height: virtualizer.getTotalSize() }}>
      <VirtualList virtualizer={virtualizer} items={tasks}>
        {(task) => <BoardCard {...card} task={task} />}
      </VirtualList>
    </ul>
  );
}
