import { useNavigate, useParams } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import { useTranslation } from "react-i18next";
import { useAllRuns, useRows, useWaiting } from "~/api/hooks";
import { RUN_VIEWS } from "~/app/run/runViews";
import { useRunActions } from "~/app/run/useRunActions";
import type { Action } from "~/components/action";
import { useInWords } from "~/components/inWords";
import { useOpenTask } from "~/components/open";
import { Sheet } from "~/components/Sheet";
import { chooseLanguage, LANGUAGES, type Language } from "~/i18n/setup";
import { useTaskActions } from "~/views/task/useTaskActions";
import { chooseTheme } from "./theme";

type Entry = { id: string; group: string; text: string } & (
  | { act: () => void }
  | { ask: (onClose: () => void) => ReactElement }
);

/** More than these nobody reads; typing finds the rest. */
const SHOWN_MAX = 40;

/** Everything that can be gone to or done, found by typing. */
export default function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const [asked, setAsked] = useState<Extract<Entry, { ask: unknown }> | null>(null);
  const entries = useEntries(onHelp);
  const found = search(entries, typed).slice(0, SHOWN_MAX);
  const chosen = Math.min(at, found.length - 1);
  const act = (entry: Entry | undefined) => {
    if (!entry) return;
    if ("ask" in entry) return setAsked(entry);
    onClose();
    entry.act();
  };
  // What is asked takes the place of the list, and the focus goes where it was before both.
  if (asked) return asked.ask(onClose);
  return (
    <Sheet title={t("nav.palette")} titleHidden onClose={onClose}>
      <input
        // biome-ignore lint/a11y/noAutofocus: whoever opens the palette is about to type.
        autoFocus
        role="combobox"
        aria-expanded
        aria-controls="palette"
        aria-activedescendant={found[chosen] && `palette-${chosen}`}
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
            setAt((chosen + step + found.length) % Math.max(found.length, 1));
          }
          if (event.key === "Enter" && !event.nativeEvent.isComposing) act(found[chosen]);
        }}
        className="w-full border-line border-b bg-transparent px-5 py-3.5 text-lg outline-none placeholder:text-faint"
      />
      <div id="palette" role="listbox" aria-label={t("nav.palette")} className="p-1.5">
        {found.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the box above has the keys, as a combobox does.
          <div
            key={entry.id}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => act(entry)}
            onMouseMove={() => setAt(index)}
            className="flex cursor-pointer gap-3 rounded-lg px-3.5 py-2 aria-selected:bg-accent-soft"
          >
            <span className="min-w-0 flex-1 truncate">{entry.text}</span>
            <span className="text-faint">{entry.group}</span>
          </div>
        ))}
        {found.length === 0 && <p className="px-3.5 py-3 text-soft">{t("palette.nothing")}</p>}
      </div>
    </Sheet>
  );
}

/** Finds the entries that have all the typed words. */
export function search<E extends { text: string; group: string }>(entries: readonly E[], typed: string): E[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ text, group }) => {
    const line = `${text} ${group}`.toLowerCase();
    return words.every((word) => line.includes(word));
  });
}

function useEntries(onHelp: () => void): Entry[] {
  const { t } = useTranslation();
  const inWords = useInWords();
  const navigate = useNavigate();
  const { run, task } = useParams({ strict: false });
  const waiting = useWaiting().data ?? [];
  const runs = useAllRuns();
  const views = RUN_VIEWS.map(({ id }) => ({
    id: `view/${id}`,
    group: t("palette.view"),
    text: t(`view.${id}`),
    act: () => run && void navigate({ to: "/runs/$run/$view", params: { run, view: id } }),
  }));
  const tasks = useTaskEntries(run);
  const actions = useActionEntries(run, task);
  return [
    ...waiting.map((row, index) => ({
      id: `waiting/${index}`,
      group: t("palette.waiting"),
      text: `${row.task ?? row.run} · ${inWords(row)}`,
      act: () =>
        void (row.task
          ? navigate({ to: "/runs/$run/tasks/$task", params: { run: row.run, task: row.task } })
          : navigate({ to: "/runs/$run/$view", params: { run: row.run, view: "inbox" } })),
    })),
    ...(run ? views : []),
    ...actions,
    { id: "home", group: t("palette.place"), text: t("nav.runs"), act: () => void navigate({ to: "/" }) },
    { id: "new", group: t("palette.place"), text: t("nav.new"), act: () => void navigate({ to: "/new" }) },
    { id: "keys", group: t("palette.act"), text: t("nav.keys"), act: onHelp },
    ...(["light", "dark", "system"] as const).map((theme) => ({
      id: `theme/${theme}`,
      group: t("settings.theme"),
      text: t(`settings.${theme}`),
      act: () => chooseTheme(theme),
    })),
    ...(Object.keys(LANGUAGES) as Language[]).map((language) => ({
      id: `language/${language}`,
      group: t("settings.language"),
      text: LANGUAGES[language],
      act: () => void chooseLanguage(language),
    })),
    ...tasks,
    ...runs.map((row) => ({
      id: `run/${row.id}`,
      group: t("palette.run"),
      text: `${row.title} · ${row.id}`,
      act: () => void navigate({ to: "/runs/$run", params: { run: row.id } }),
    })),
  ];
}

function useTaskEntries(run: string | undefined): Entry[] {
  const { t } = useTranslation();
  const open = useOpenTask();
  const tasks = useRows(run ?? "", "task", run !== undefined).data ?? {};
  return Object.values(tasks).map((task) => ({
    id: `task/${task.id}`,
    group: t("palette.task"),
    text: `${task.id} ${task.title}`,
    act: () => open(task.id),
  }));
}

/** What can be done with the task that is open, and with its run. */
function useActionEntries(run: string | undefined, task: string | undefined): Entry[] {
  const { t } = useTranslation();
  const row = useRows(run ?? "", "run", run !== undefined).data?.["run"];
  const tasks = useRows(run ?? "", "task", run !== undefined).data ?? {};
  const ofTask = useTaskActions(run ?? "", task === undefined ? undefined : tasks[task]).actions;
  const ofRun = useRunActions(row).actions;
  const toEntry =
    (group: string) =>
    (action: Action): Entry => ({
      ...action,
      id: `${group}/${action.id}`,
      group,
      text: action.group ? `${action.group}: ${action.name}` : action.name,
    });
  return [
    ...ofTask.filter(({ isOn }) => !isOn).map(toEntry(t("palette.thisTask", { task }))),
    ...ofRun.map(toEntry(t("palette.thisRun"))),
  ];
}
