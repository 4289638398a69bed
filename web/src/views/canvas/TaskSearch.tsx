import { Panel } from "@xyflow/react";
import { SearchIcon } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { queryKeys, type RowsByKey } from "~/api/cache";
import { cache } from "~/api/client";
import type { Layout } from "~/api/generated";
import { useIsPanelOpen } from "~/components/navigation";
import { useShortcuts } from "~/components/shortcuts";
import { useTaskSearch } from "~/components/TaskSearchField";
import { searchTasks } from "./toGraph";

type Props = {
  run: string;
  layout: Layout;
  onFound: (tasks: ReadonlySet<string>) => void;
  onShow: (task: string) => void;
};

/** Searches tasks by id, title, agent or question. Enter goes to the next match. */
export function TaskSearch({ run, layout, onFound, onShow }: Props) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useTaskSearch();
  const [found, setFound] = useState<string[]>([]);
  const [at, setAt] = useState(-1);
  useShortcuts({ "mod+f": () => input.current?.select() }, !useIsPanelOpen());

  const search = (next: string) => {
    setText(next);
    find(next);
  };
  const find = (text: string) => {
    const tasks = cache.getQueryData<RowsByKey<"task">>(queryKeys.rows(run, "task")) ?? {};
    const next = searchTasks(layout.nodes, tasks, text);
    setFound(next);
    setAt(-1);
    onFound(new Set(next));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the search of the address counts when the graph is opened.
  useEffect(() => {
    if (text !== "") find(text);
  }, []);
  const step = (by: number) => {
    if (found.length === 0) return;
    const next = at < 0 && by < 0 ? found.length - 1 : (at + by + found.length) % found.length;
    setAt(next);
    const task = found[next];
    if (task) onShow(task);
  };
  return (
    <Panel
      position="top-right"
      className="flex items-center gap-1.5 rounded-lg border border-line bg-panel px-2 text-soft"
    >
      <SearchIcon aria-hidden size={14} />
      <input
        ref={input}
        type="search"
        value={text}
        aria-label={t("canvas.search")}
        placeholder={t("canvas.search")}
        className="h-8 w-40 bg-transparent text-ink outline-none placeholder:text-faint focus:w-56"
        onChange={(event) => search(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") {
            search("");
            event.currentTarget.blur();
          }
        }}
      />
      <span role="status" className="min-w-8 text-right text-xs tabular-nums">
        {text !== "" && (found.length === 0 ? t("canvas.none") : `${Math.max(at + 1, 1)}/${found.length}`)}
      </span>
    </Panel>
  );
}
