import { SearchIcon } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { PhaseRow } from "~/api/generated";
import { useRows } from "~/api/hooks";
import { InSight } from "~/components/InSight";
import { useKeys } from "~/components/keys";
import { usePanelIsOpen } from "~/components/open";
import { Unready } from "~/components/Unready";
import { TaskLine } from "./TaskLine";
import { type ListLine, toLines } from "./toLines";
import { useLines } from "./useLines";

/** All tasks of a run under their phases, for small screens and for reading. */
export default function TaskList({ run }: { run: string }) {
  const tasks = useRows(run, "task");
  const phases = useRows(run, "phase");
  const [search, setSearch] = useState("");
  const lines = useMemo(
    () => toLines(phases.data ?? {}, tasks.data ?? {}, search),
    [phases.data, tasks.data, search],
  );
  if (!tasks.data || !phases.data) return <Unready needed={[tasks, phases]} />;
  return <Lines run={run} lines={lines} search={search} onSearch={setSearch} />;
}

type Props = { run: string; lines: readonly ListLine[]; search: string; onSearch: (search: string) => void };

/** The lines; only those in sight are drawn, so the browser's own search would miss the rest. */
function Lines({ run, lines, search, onSearch }: Props) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLElement>(null);
  const { shown, setFocused, onKeyDown } = useLines(lines, scroller);
  return (
    <div className="mx-auto flex h-full max-w-4xl flex-col">
      <Search search={search} onSearch={onSearch} onKeyDown={onKeyDown} />
      <section
        ref={scroller}
        data-list
        tabIndex={0}
        aria-label={t("view.list")}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-y-auto px-4 pb-4 outline-offset-[-2px]"
      >
        {lines.length === 0 && search !== "" && <p className="py-3 text-soft">{t("palette.nothing")}</p>}
        <ul className="relative" style={{ height: shown.getTotalSize() }}>
          <InSight shown={shown} items={lines}>
            {(line) => (
              <div className="pb-1.5">
                {"phase" in line ? (
                  <PhaseLine phase={line.phase} />
                ) : (
                  <TaskLine run={run} task={line.task} onFocus={() => setFocused(line.key)} />
                )}
              </div>
            )}
          </InSight>
        </ul>
      </section>
    </div>
  );
}

type SearchProps = Pick<Props, "search" | "onSearch"> & { onKeyDown: (event: React.KeyboardEvent) => void };

function Search({ search, onSearch, onKeyDown }: SearchProps) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  useKeys({ "mod+f": () => input.current?.select() }, !usePanelIsOpen());
  return (
    <label className="mx-4 mt-4 mb-1 flex items-center gap-2 rounded-lg border border-line bg-panel px-3 text-soft focus-within:border-accent">
      <SearchIcon aria-hidden size={14} />
      <input
        ref={input}
        type="search"
        value={search}
        aria-label={t("canvas.search")}
        placeholder={t("canvas.search")}
        className="h-8 min-w-0 flex-1 bg-transparent text-ink outline-none placeholder:text-faint max-md:h-10"
        onChange={(event) => onSearch(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "ArrowDown") onKeyDown(event);
          if (event.key === "Escape") onSearch("");
        }}
      />
    </label>
  );
}

function PhaseLine({ phase }: { phase: PhaseRow }) {
  const { t } = useTranslation();
  return (
    <h2 className="pt-3 font-semibold text-soft text-sm">
      {phase.number} {phase.name}{" "}
      <span className="font-normal text-faint">
        · {t(`phase.${phase.state}`)} · {t("run.done", { done: phase.tasks.done, count: phase.nTasks })}
      </span>
    </h2>
  );
}
