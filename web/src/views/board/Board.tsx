import { monitorForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Priority } from "~/api/generated";
import { useRows } from "~/api/hooks";
import { useAct } from "~/components/ask/useAct";
import { Loading } from "~/components/Loading";
import { Problem } from "~/components/Problem";
import { BoardColumn } from "./BoardColumn";
import { readCard, readSection } from "./drag";
import { toBoard } from "./toBoard";

/** The tasks of a run by how they stand. */
export default function Board({ run }: { run: string }) {
  const { t } = useTranslation();
  const tasks = useRows(run, "task");
  const { act } = useAct(run);
  const columns = useMemo(() => toBoard(tasks.data ?? {}), [tasks.data]);
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  // Stays the same, so that a card is drawn anew only when its task changes.
  const prioritize = useCallback((task: string, priority: Priority) => {
    void latest.current({ prioritizeTask: { task, priority } });
  }, []);

  useEffect(
    () =>
      monitorForElements({
        onDrop: ({ source, location }) => {
          const card = readCard(source.data);
          const section = readSection(location.current.dropTargets[0]?.data);
          if (card && section && card.priority !== section) prioritize(card.task, section);
        },
      }),
    [prioritize],
  );

  if (tasks.status === "error") return <Problem error={tasks.error} retry={() => void tasks.refetch()} />;
  if (!tasks.data) return <Loading />;
  return (
    <section aria-label={t("view.board")} className="flex h-full gap-3 overflow-x-auto p-4">
      {columns.map((column) => (
        <BoardColumn key={column.id} run={run} column={column} onPriority={prioritize} />
      ))}
    </section>
  );
}
