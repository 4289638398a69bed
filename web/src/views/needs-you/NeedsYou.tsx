import { useNavigate, useSearch } from "@tanstack/react-router";
import { Coffee } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { InboxEntry } from "~/api/generated";
import { useInbox } from "~/api/hooks";
import { useCardSelection, useOptionKeys } from "~/components/inbox/cardSelection";
import { Notice } from "~/components/Notice";
import { entryName, useIsPanelOpen, useOpenTask } from "~/components/navigation";
import { QueryFallback } from "~/components/QueryFallback";
import { useShortcuts } from "~/components/shortcuts";
import { EntryList } from "./EntryList";
import { EntryPane } from "./EntryPane";
import { type EntryKind, entryGroup } from "./entryKinds";
import { SettledEntry } from "./SettledEntry";

/**
 * What needs the user, as a list beside the selected item. j and k move, numbers choose an option, Enter goes to the text
 * field, o opens the task.
 */
export function NeedsYou({ run }: { run?: string }) {
  const { t } = useTranslation();
  const inbox = useInbox(run);
  if (!inbox.data) return <QueryFallback queries={[inbox]} />;
  if (inbox.data.length === 0) {
    return (
      <Notice title={t("inbox.empty")} icon={<Coffee aria-hidden size={22} />}>
        <p>{t("inbox.emptyHint")}</p>
      </Notice>
    );
  }
  return <EntryListAndPane run={run} entries={inbox.data} />;
}

type Props = { run: string | undefined; entries: readonly InboxEntry[] };

function EntryListAndPane({ run, entries }: Props) {
  const navigate = useNavigate();
  const { item, kind } = useSearch({ strict: false });
  const isPanelOpen = useIsPanelOpen();
  const openTask = useOpenTask();
  const box = useRef<HTMLDivElement>(null);
  // An id is unique within its run only.
  const nameOf = (entry: InboxEntry) => (run === undefined ? `${entry.run}.` : "") + entryName(entry);
  const shown = useMemo(() => toShownEntries(entries, kind), [entries, kind]);
  const selection = useCardSelection(shown.map(nameOf), !isPanelOpen, item);
  const selected = shown.find((entry) => nameOf(entry) === selection.name);
  const isSettled = item !== undefined && selection.by === "default" && selection.name !== item;

  const setSearch = (change: { item?: string; kind?: EntryKind | undefined }, replace = false) =>
    void navigate({ to: ".", search: (search) => ({ ...search, ...change }), replace });
  // Keys and answers select other items. Each click is a step of the browser's history, these are not.
  useEffect(() => {
    if (isPanelOpen || selection.name === null || selection.by === "default" || selection.name === item)
      return;
    const next = selection.name;
    void navigate({ to: ".", search: (search) => ({ ...search, item: next }), replace: true });
  }, [navigate, isPanelOpen, selection.name, selection.by, item]);

  const card = () => {
    const pane = box.current?.querySelector<HTMLElement>("[data-selected]");
    return pane?.checkVisibility() ? pane : null;
  };
  const focusInput = () => card()?.querySelector<HTMLElement>("[data-answer], [data-option]")?.focus();
  useOptionKeys(card, selection.acceptsKeys, !isPanelOpen);
  useShortcuts(
    {
      j: () => selection.move(1),
      k: () => selection.move(-1),
      Enter: focusInput,
      o: () => selected?.task && openTask(selected.task, undefined, selected.run),
    },
    !isPanelOpen,
  );
  return (
    <div ref={box} className="flex h-full min-h-0">
      <EntryList
        run={run}
        entries={entries}
        shown={shown}
        kind={kind as EntryKind | undefined}
        selected={isSettled ? null : selection.name}
        nameOf={nameOf}
        onSelect={(name) => setSearch({ item: name })}
        onKind={(next) => setSearch({ kind: next }, true)}
        className={item === undefined ? "" : "max-md:hidden"}
      />
      {isSettled ? (
        <SettledEntry run={run} item={item} />
      ) : (
        selected && (
          <div
            key={selection.name}
            data-selected
            className={`min-w-0 flex-1 ${item === undefined ? "max-md:hidden" : ""}`}
          >
            <EntryPane entry={selected} showsRun={run === undefined} />
          </div>
        )
      )}
    </div>
  );
}

/** The entries of a kind, those that block work first. */
function toShownEntries(entries: readonly InboxEntry[], kind: string | undefined): InboxEntry[] {
  const ofKind = entries.filter(({ item }) => item.type === kind);
  const all = ofKind.length > 0 ? ofKind : entries;
  const inGroup = (group: string) => all.filter((entry) => entryGroup(entry) === group);
  return [...inGroup("blocking"), ...inGroup("notBlocking")];
}
