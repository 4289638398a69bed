import { useNavigate, useParams } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import { useTranslation } from "react-i18next";
import { useAllRuns, useInbox, useRows } from "~/api/hooks";
import { useRunActions } from "~/app/run/useRunActions";
import type { UserAction } from "~/components/action";
import { useLocalizedText } from "~/components/localizedText";
import { useOpenEntry, useOpenTask } from "~/components/navigation";
import { PLACES, WORK_VIEWS } from "~/components/places";
import { Sheet } from "~/components/Sheet";
import { LANGUAGES, type Language, setLanguage } from "~/i18n/setup";
import { useTaskActions } from "~/views/task/useTaskActions";
import { setTheme } from "./theme";

type PaletteEntry = { id: string; group: string; text: string } & (
  | { perform: () => void }
  | { confirm: (onClose: () => void) => ReactElement }
);

/** Typing narrows the list further. */
const SHOWN_MAX = 40;

/** Search over tasks, runs, views and commands. */
export default function CommandPalette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const [confirming, setConfirming] = useState<Extract<PaletteEntry, { confirm: unknown }> | null>(null);
  const entries = usePaletteEntries(onHelp);
  const found = filterEntries(entries, typed).slice(0, SHOWN_MAX);
  const selected = Math.min(at, found.length - 1);
  const choose = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    if ("confirm" in entry) return setConfirming(entry);
    onClose();
    entry.perform();
  };
  // The confirmation replaces the list, so that the focus returns to where it was before both.
  if (confirming) return confirming.confirm(onClose);
  return (
    <Sheet title={t("nav.palette")} titleHidden onClose={onClose}>
      <input
        // biome-ignore lint/a11y/noAutofocus: the palette is opened to type into it.
        autoFocus
        role="combobox"
        aria-expanded
        aria-controls="palette"
        aria-activedescendant={found[selected] && `palette-${selected}`}
        aria-label={t("palette.label")}
        placeholder={t("palette.label")}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step) {
            event.preventDefault();
            setAt((selected + step + found.length) % Math.max(found.length, 1));
          }
          if (event.key === "Enter" && !event.nativeEvent.isComposing) choose(found[selected]);
        }}
        className="w-full border-line border-b bg-transparent px-5 py-3.5 text-lg outline-none placeholder:text-faint"
      />
      <div id="palette" role="listbox" aria-label={t("nav.palette")} className="p-1.5">
        {found.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input above handles the keys, as in every combobox.
          <div
            key={entry.id}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === selected}
            onClick={() => choose(entry)}
            onMouseMove={() => setAt(index)}
            className="flex cursor-pointer gap-3 rounded-lg px-3.5 py-2 aria-selected:bg-accent-soft"
          >
            <span className="min-w-0 flex-1 truncate">{entry.text}</span>
            <span className="text-faint">{entry.group}</span>
          </div>
        ))}
        {found.length === 0 && <p className="px-3.5 py-3 text-soft">{t("palette.noResults")}</p>}
      </div>
    </Sheet>
  );
}

/** Returns the entries that contain all typed words. */
export function filterEntries<E extends { text: string; group: string }>(
  entries: readonly E[],
  typed: string,
): E[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ text, group }) => {
    const line = `${text} ${group}`.toLowerCase();
    return words.every((word) => line.includes(word));
  });
}

function usePaletteEntries(onHelp: () => void): PaletteEntry[] {
  const { t } = useTranslation();
  const inWords = useLocalizedText();
  const navigate = useNavigate();
  const { run, task } = useParams({ strict: false });
  const inbox = useInbox().data ?? [];
  const runs = useAllRuns();
  const openEntry = useOpenEntry();
  const places = PLACES.map((place) => ({
    id: `place/${place}`,
    group: t("palette.view"),
    text: t(`place.${place}`),
    perform: () => run && void navigate({ to: "/runs/$run/$place", params: { run, place } }),
  }));
  const workViews = WORK_VIEWS.map((view) => ({
    id: `view/${view}`,
    group: t("palette.view"),
    text: t(`view.${view}`),
    perform: () =>
      run && void navigate({ to: "/runs/$run/$place", params: { run, place: "work" }, search: { view } }),
  }));
  const tasks = useTaskEntries(run);
  const actions = useActionEntries(run, task);
  return [
    ...inbox.map((row, index) => ({
      id: `inbox/${index}`,
      group: t("palette.inbox"),
      text: `${row.task ?? row.run} · ${inWords(row)}`,
      perform: () => openEntry(row),
    })),
    ...(run ? [...places, ...workViews] : []),
    ...actions,
    {
      id: "needs-you",
      group: t("palette.page"),
      text: t("palette.needsYouOfAll"),
      perform: () => void navigate({ to: "/needs-you" }),
    },
    {
      id: "runs",
      group: t("palette.page"),
      text: t("nav.runs"),
      perform: () => void navigate({ to: "/runs" }),
    },
    {
      id: "new",
      group: t("palette.page"),
      text: t("nav.new"),
      perform: () => void navigate({ to: "/new" }),
    },
    { id: "keys", group: t("palette.help"), text: t("nav.shortcuts"), perform: onHelp },
    ...(["light", "dark", "system"] as const).map((theme) => ({
      id: `theme/${theme}`,
      group: t("settings.theme"),
      text: t(`settings.${theme}`),
      perform: () => setTheme(theme),
    })),
    ...(Object.keys(LANGUAGES) as Language[]).map((language) => ({
      id: `language/${language}`,
      group: t("settings.language"),
      text: LANGUAGES[language],
      perform: () => void setLanguage(language),
    })),
    ...tasks,
    ...runs.map((row) => ({
      id: `run/${row.id}`,
      group: t("palette.run"),
      text: `${row.title} · ${row.id}`,
      perform: () => void navigate({ to: "/runs/$run", params: { run: row.id } }),
    })),
  ];
}

function useTaskEntries(run: string | undefined): PaletteEntry[] {
  const { t } = useTranslation();
  const open = useOpenTask();
  const tasks = useRows(run ?? "", "task", run !== undefined).data ?? {};
  return Object.values(tasks).map((task) => ({
    id: `task/${task.id}`,
    group: t("palette.task"),
    text: `${task.id} ${task.title}`,
    perform: () => open(task.id),
  }));
}

/** The actions of the open task and of its run. */
function useActionEntries(run: string | undefined, task: string | undefined): PaletteEntry[] {
  const { t } = useTranslation();
  const row = useRows(run ?? "", "run", run !== undefined).data?.["run"];
  const tasks = useRows(run ?? "", "task", run !== undefined).data ?? {};
  const ofTask = useTaskActions(run ?? "", task === undefined ? undefined : tasks[task]).actions;
  const ofRun = useRunActions(row).actions;
  const toEntry =
    (group: string) =>
    (action: UserAction): PaletteEntry => ({
      ...action,
      id: `${group}/${action.id}`,
      group,
      text: action.group ? `${action.group}: ${action.name}` : action.name,
    });
  return [
    ...ofTask.filter(({ isSelected }) => !isSelected).map(toEntry(t("palette.thisTask", { task }))),
    ...ofRun.map(toEntry(t("palette.thisRun"))),
  ];
}
