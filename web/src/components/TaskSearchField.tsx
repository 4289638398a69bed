import { useNavigate, useSearch } from "@tanstack/react-router";
import { SearchIcon } from "lucide-react";
import { type KeyboardEvent, useCallback, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type RunSearch, useIsPanelOpen } from "./navigation";
import { useShortcuts } from "./shortcuts";

/** The search for tasks. It is in the address, so that it stays when another view of the tasks is chosen. */
export function useTaskSearch(): [string, (search: string) => void] {
  const { q = "" } = useSearch({ strict: false });
  const navigate = useNavigate();
  // The address follows the text field, so that typing never waits for it.
  const [text, setText] = useState(q);
  const write = useCallback(
    (next: string) => {
      setText(next);
      const search = ({ q: _q, ...rest }: RunSearch) => (next === "" ? rest : { ...rest, q: next });
      void navigate({ to: ".", search, replace: true });
    },
    [navigate],
  );
  return [text, write];
}

type Props = {
  search: string;
  onSearch: (search: string) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  className?: string;
};

/** A field that searches tasks by id, title, agent or question. */
export function TaskSearchField({ search, onSearch, onKeyDown, className = "" }: Props) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  useShortcuts({ "mod+f": () => input.current?.select() }, !useIsPanelOpen());
  return (
    <label
      className={`flex items-center gap-2 rounded-lg border border-line bg-panel px-3 text-soft focus-within:border-accent ${className}`}
    >
      <SearchIcon aria-hidden size={14} />
      <input
        ref={input}
        type="search"
        value={search}
        aria-label={t("canvas.search")}
        placeholder={t("canvas.search")}
        className="h-8 min-w-0 flex-1 bg-transparent text-ink outline-none placeholder:text-faint max-md:h-10 max-md:text-base"
        onChange={(event) => onSearch(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "ArrowDown") onKeyDown?.(event);
          if (event.key === "Escape") onSearch("");
        }}
      />
    </label>
  );
}
