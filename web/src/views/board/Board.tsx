import { monitorForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Priority } from "~/api/generated";
import { useRows } from "~/api/hooks";
import { ErrorMessage } from "~/components/ErrorMessage";
import { useSendCommand } from "~/components/inbox/useSendCommand";
import { Loading } from "~/components/Loading";
import { TaskSearchField, useTaskSearch } from "~/components/TaskSearchField";
import { matchingTasks } from "~/components/taskMatchesSearch";
import { BoardColumn } from "./BoardColumn";
import { readCardData, readSectionPriority } from "./drag";
import { toBoard } from "./toBoard";

/** The tasks of a run in columns by state. */
export default function Board({ run }: { run: string }) {
  const { t } = useTranslation();
  const tasks = useRows(run, "task");
  const { send } = useSendCommand(run);
  const [isDragging, setDragging] = useState(false);
  const [search, setSearch] = useTaskSearch();
  const columns = useMemo(() => toBoard(matchingTasks(tasks.data ?? {}, search)), [tasks.data, search]);
  const latest = useRef(send);
  useEffect(() => {
    latest.current = send;
  });
  // Stable, so that a card is rendered again only when its task changes.
  const prioritize = useCallback((task: string, priority: Priority) => {
    void latest.current({ prioritizeTask: { task, priority } });
  }, []);

  useEffect(
    () =>
      monitorForElements({
        onDragStart: () => setDragging(true),
        onDrop: ({ source, location }) => {
          setDragging(false);
          const card = readCardData(source.data);
          const section = readSectionPriority(location.current.dropTargets[0]?.data);
          if (card && section && card.priority !== section) prioritize(card.task, section);
        },
      }),
    [prioritize],
  );

  if (tasks.status === "error")
    return <ErrorMessage error={tasks.error} retry={() => void tasks.refetch()} />;
  if (!tasks.data) return <Loading />;
  return (
    <div className="flex h-full flex-col">
      <TaskSearchField search={search} onSearch={setSearch} className="mx-4 mt-3 max-w-sm" />
      <section aria-label={t("view.board")} className="flex min-h-0 flex-1 gap-3 overflow-x-auto p-4">
        {columns.map((column) => (
          <BoardColumn
            key={column.id}
            run={run}
            column={column}
            isDragging={isDragging}
            onPriority={prioritize}
          />
        ))}
      </section>
    </div>
  );
}
