import { useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { PhaseRow } from "~/api/generated";
import { useRows } from "~/api/hooks";
import { QueryFallback } from "~/components/QueryFallback";
import { TaskSearchField, useTaskSearch } from "~/components/TaskSearchField";
import { usePhaseStateName } from "~/components/usePhaseState";
import { VirtualList } from "~/components/VirtualList";
import { type ListRow, toListRows } from "./listRows";
import { TaskListRow } from "./TaskListRow";
import { useVirtualTaskList } from "./useVirtualTaskList";

/** All tasks of a run by phase. */
export default function TaskList({ run }: { run: string }) {
  const tasks = useRows(run, "task");
  const phases = useRows(run, "phase");
  const [search, setSearch] = useTaskSearch();
  const rows = useMemo(
    () => toListRows(phases.data ?? {}, tasks.data ?? {}, search),
    [phases.data, tasks.data, search],
  );
  if (!tasks.data || !phases.data) return <QueryFallback queries={[tasks, phases]} />;
  return <SearchableRows run={run} rows={rows} search={search} onSearch={setSearch} />;
}

type Props = { run: string; rows: readonly ListRow[]; search: string; onSearch: (search: string) => void };

/** The rows with a search field: only visible rows are rendered, so the browser's search would miss the others. */
function SearchableRows({ run, rows, search, onSearch }: Props) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLElement>(null);
  const { virtualizer, setFocused, onKeyDown } = useVirtualTaskList(rows, scroller);
  return (
    <div className="mx-auto flex h-full max-w-4xl flex-col">
      <TaskSearchField search={search} onSearch={onSearch} onKeyDown={onKeyDown} className="mx-4 mt-4 mb-1" />
      <section
        ref={scroller}
        data-list
        tabIndex={0}
        aria-label={t("view.list")}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-y-auto px-4 pb-4 outline-offset-[-2px]"
      >
        {rows.length === 0 && search !== "" && <p className="py-3 text-soft">{t("palette.noResults")}</p>}
        <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
          <VirtualList virtualizer={virtualizer} items={rows}>
            {(row) => (
              <div className="pb-1.5">
                {"phase" in row ? (
                  <PhaseHeading run={run} phase={row.phase} />
                ) : (
                  <TaskListRow run={run} task={row.task} onFocus={() => setFocused(row.key)} />
                )}
              </div>
            )}
          </VirtualList>
        </ul>
      </section>
    </div>
  );
}

function PhaseHeading({ run, phase }: { run: string; phase: PhaseRow }) {
  const { t } = useTranslation();
  const stateName = usePhaseStateName(run);
  return (
    <h2 className="pt-3 font-semibold text-soft text-sm">
      {phase.number} {phase.name}{" "}
      <span className="font-normal text-faint">
        · {stateName(phase)} · {t("run.done", { done: phase.tasks.done, count: phase.nTasks })}
      </span>
    </h2>
  );
}
