import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { InboxEntry } from "~/api/generated";
import { useRow } from "~/api/hooks";
import { useEntryKindName } from "~/components/inbox/InboxForm";
import { TimeAgo } from "~/components/Time";
import { countKinds, type EntryKind, entryGroup } from "./entryKinds";
import { UseDefaults } from "./UseDefaults";
import { useEntryIcon, useEntryText } from "./useEntryText";

type Props = {
  /** Missing in the list of all runs. */
  run: string | undefined;
  entries: readonly InboxEntry[];
  /** The entries of the chosen kind, in the order of the list. */
  shown: readonly InboxEntry[];
  kind: EntryKind | undefined;
  selected: string | null;
  nameOf: (entry: InboxEntry) => string;
  onSelect: (name: string) => void;
  onKind: (kind: EntryKind | undefined) => void;
  className: string;
};

/** What needs the user in compact rows, with a filter by kind. */
export function EntryList(props: Props) {
  const { run, entries, shown, selected, nameOf, onSelect, className } = props;
  const { t } = useTranslation();
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (selected !== null)
      list.current?.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  const firstNotBlocking = shown.find((entry) => entryGroup(entry) === "notBlocking");
  return (
    <section
      aria-label={t("inbox.title")}
      className={`flex min-h-0 w-full shrink-0 flex-col border-line bg-panel md:w-[38%] md:min-w-72 md:max-w-[440px] md:border-r ${className}`}
    >
      {run === undefined && (
        <h1 className="px-4 pt-3 font-semibold text-lg">
          {t("inbox.title")} <span className="text-ask tabular-nums">{entries.length}</span>
        </h1>
      )}
      <KindFilter {...props} />
      <ul ref={list} className="min-h-0 flex-1 overflow-y-auto border-line border-t">
        {shown.map((entry) => {
          const name = nameOf(entry);
          return (
            <li key={name}>
              {entry === firstNotBlocking && entry !== shown[0] && (
                <p className="border-line border-b px-4 pt-4 pb-1.5 font-semibold text-soft text-xs">
                  {t("needsYou.notBlocking")}
                </p>
              )}
              <EntryRow
                entry={entry}
                showsRun={run === undefined}
                isSelected={name === selected}
                onSelect={() => onSelect(name)}
              />
            </li>
          );
        })}
      </ul>
      {run !== undefined && <UseDefaults run={run} entries={shown} />}
    </section>
  );
}

function KindFilter({ entries, kind, onKind }: Props) {
  const { t } = useTranslation();
  const counts = countKinds(entries);
  if (counts.length < 2) return <div className="h-2 shrink-0" />;
  const chip =
    "inline-flex min-h-7 items-center gap-1.5 whitespace-nowrap rounded-full border border-line px-2.5 text-soft text-sm aria-pressed:border-ink aria-pressed:font-semibold aria-pressed:text-ink max-md:min-h-11";
  const isAll = !counts.some((count) => count.kind === kind);
  return (
    <fieldset className="flex min-w-0 shrink-0 gap-1.5 overflow-x-auto px-4 py-2.5 [scrollbar-width:none] md:flex-wrap">
      <legend className="sr-only">{t("needsYou.filter")}</legend>
      <button type="button" aria-pressed={isAll} className={chip} onClick={() => onKind(undefined)}>
        {t("needsYou.kind.all")} <span className="tabular-nums">{entries.length}</span>
      </button>
      {counts.map((count) => (
        <button
          key={count.kind}
          type="button"
          aria-pressed={count.kind === kind}
          className={chip}
          onClick={() => onKind(count.kind)}
        >
          {t(`needsYou.kind.${count.kind}`)} <span className="tabular-nums">{count.n}</span>
        </button>
      ))}
    </fieldset>
  );
}

type EntryRowProps = { entry: InboxEntry; showsRun: boolean; isSelected: boolean; onSelect: () => void };

function EntryRow({ entry, showsRun, isSelected, onSelect }: EntryRowProps) {
  const { t } = useTranslation();
  const { heading } = useEntryText(entry);
  const kind = useEntryKindName(entry);
  const task = useRow(entry.run, "task", entry.task);
  const runTitle = useRow(entry.run, "run", showsRun ? "run" : null)?.title;
  const Icon = useEntryIcon(entry);
  const isUrgent = entry.severity === "critical" || entry.severity === "high";
  return (
    <button
      type="button"
      data-row={`${entry.run}/${entry.item.id}`}
      aria-current={isSelected}
      onClick={onSelect}
      className="grid w-full grid-cols-[16px_minmax(0,1fr)_auto] gap-x-2.5 border-line border-b px-4 py-2 text-left outline-offset-[-2px] hover:bg-page aria-current:bg-accent-soft aria-current:shadow-[inset_3px_0_0_var(--accent)] max-md:aria-current:bg-transparent max-md:aria-current:shadow-none max-md:min-h-14"
    >
      <Icon aria-hidden size={16} className={`mt-0.5 ${isUrgent ? "text-fail" : "text-ask"}`} />
      <span className="flex min-w-0 flex-col gap-0.5">
        <span className="sr-only">{kind}: </span>
        <span dir="auto" className="line-clamp-1 font-semibold max-md:line-clamp-2">
          {heading}
        </span>
        <span className="truncate text-soft text-xs">
          {entry.task ? (
            <>
              <code className="font-mono">{entry.task}</code> {task?.title}
              {task?.agent && ` · ${task.agent}`}
            </>
          ) : entry.phase === null ? (
            t("inboxItem.aboutRun")
          ) : (
            t("inboxItem.aboutPhase", { n: entry.phase })
          )}
          {runTitle && ` · ${runTitle}`}
        </span>
      </span>
      <span className="flex flex-col items-end gap-0.5 whitespace-nowrap text-xs">
        {entry.blocks.tasks > 0 ? (
          <span className="text-ink">{t("needsYou.blocks", { count: entry.blocks.tasks })}</span>
        ) : (
          <span>&nbsp;</span>
        )}
        <span className="text-soft">
          <TimeAgo at={entry.sinceAt} />
        </span>
      </span>
    </button>
  );
}
