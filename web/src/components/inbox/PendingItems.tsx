import { type ReactNode, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { InboxEntry } from "~/api/generated";
import { useInbox, useRow, useRows } from "~/api/hooks";
import { useLocalizedText } from "~/components/localizedText";
import { TimeAgo } from "~/components/Time";
import { useFormatDuration } from "~/components/timeFormat";
import { useCardSelection, useOptionKeys } from "./cardSelection";
import { InboxForm, useEntryKindName } from "./InboxForm";
import { QuestionText } from "./QuestionText";
import { type ItemOwner, toPendingItems } from "./toPendingItems";

/** The open questions of a task or a session, above the tabs of its panel. */
export function PendingItems({ run, of }: { run: string; of: ItemOwner }) {
  const { t } = useTranslation();
  const localize = useLocalizedText();
  const box = useRef<HTMLDivElement>(null);
  const inbox = useInbox(run);
  const questions = useRows(run, "question").data;
  const entries = toPendingItems(inbox.data ?? [], questions ?? {}, of);
  const row = useRow(run, "task", "task" in of ? of.task : null);
  const question = useRow(run, "question", row?.question?.id);
  const { name: selected, acceptsKeys } = useCardSelection(inbox.data && entries.map(entryId));
  const section = () => box.current?.querySelector<HTMLElement>("[data-selected]");
  useOptionKeys(section, acceptsKeys, entries.length > 0);
  if (entries.length > 0) {
    return (
      <div ref={box} className="max-h-[52%] shrink-0 overflow-y-auto border-ask-line border-b bg-ask-soft">
        {entries.map((entry) => (
          <PendingItem
            key={entryId(entry)}
            entry={entry}
            isSelected={entryId(entry) === selected}
            isMarked={entries.length > 1 && entryId(entry) === selected}
          />
        ))}
      </div>
    );
  }
  if (question?.status !== "withOrchestrator") return null;
  return (
    <p className="border-line border-b px-5 py-2 text-soft">
      {t("task.withOrchestrator")} <b className="text-ink">{localize(question)}</b>
    </p>
  );
}

const entryId = ({ item }: InboxEntry) => `${item.type}/${item.id}`;

type PendingItemProps = { entry: InboxEntry; isSelected: boolean; isMarked: boolean };

function PendingItem({ entry, isSelected, isMarked }: PendingItemProps) {
  const { t } = useTranslation();
  const formatDuration = useFormatDuration();
  const kind = useEntryKindName(entry);
  const localize = useLocalizedText();
  const { run, item, blocks } = entry;
  const task = useRow(run, "task", entry.task);
  const question = useRow(run, "question", item.type === "question" ? item.id : null);
  const session = useRow(run, "session", task?.session ?? question?.session);
  return (
    <section
      aria-label={localize(entry)}
      data-entry={`${run}/${item.id}`}
      {...(isSelected && { "data-selected": true })}
      className={`grid gap-x-6 gap-y-2 px-4 py-3 md:grid-cols-[1fr_auto] md:px-5 ${isMarked ? "ring-1 ring-ask-fill ring-inset" : ""}`}
    >
      <div className="flex min-w-0 flex-col gap-2">
        <QuestionText level="h2" text={localize(entry)} />
        <InboxForm entry={entry} />
      </div>
      <dl className="grid h-fit grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-sm max-md:hidden">
        <DetailLine name={kind}>
          <TimeAgo at={entry.sinceAt} />
        </DetailLine>
        <DetailLine name={t("inboxItem.askedBy")}>{task?.agent ?? question?.agent ?? "–"}</DetailLine>
        {blocks.tasks > 0 && (
          <DetailLine name={t("inboxItem.blocks")}>
            {t("inboxItem.tasks", { count: blocks.tasks })}
          </DetailLine>
        )}
        {blocks.timeMs >= 1000 && (
          <DetailLine name={t("inboxItem.criticalPath")}>+{formatDuration(blocks.timeMs)}</DetailLine>
        )}
        {session && (
          <DetailLine name={t("task.session")}>
            {t(`sessionState.${session.park ?? session.state}`)}
          </DetailLine>
        )}
      </dl>
      <p className="text-ask text-xs md:hidden">
        {blocks.tasks > 0 && `${t("inboxItem.blocksTasks", { count: blocks.tasks })} · `}
        <TimeAgo at={entry.sinceAt} />
      </p>
    </section>
  );
}

function DetailLine({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
