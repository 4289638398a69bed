import { type ReactNode, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { InboxEntry } from "~/api/generated";
import { useInbox, useRow, useRows } from "~/api/hooks";
import { useLocalizedText } from "~/components/localizedText";
import { Ago } from "~/components/Time";
import { useFormatDuration } from "~/components/time";
import { useCardSelection, useOptionKeys } from "./cardSelection";
import { InboxForm, useEntryKind } from "./InboxCard";
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
  const { name: selected, acceptsKeys } = useCardSelection(inbox.data && entries.map(entryName));
  const section = () => box.current?.querySelector<HTMLElement>("[data-selected]");
  useOptionKeys(section, acceptsKeys, entries.length > 0);
  if (entries.length > 0) {
    return (
      <div ref={box} className="max-h-[52%] shrink-0 overflow-y-auto border-ask-line border-b bg-ask-soft">
        {entries.map((entry) => (
          <Item
            key={entryName(entry)}
            entry={entry}
            isSelected={entryName(entry) === selected}
            isMarked={entries.length > 1 && entryName(entry) === selected}
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

const entryName = ({ item }: InboxEntry) => `${item.type}/${item.id}`;

type ItemProps = { entry: InboxEntry; isSelected: boolean; isMarked: boolean };

function Item({ entry, isSelected, isMarked }: ItemProps) {
  const { t } = useTranslation();
  const formatDuration = useFormatDuration();
  const kind = useEntryKind(entry);
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
        <Line name={kind}>
          <Ago at={entry.sinceAt} />
        </Line>
        <Line name={t("inboxItem.askedBy")}>{task?.agent ?? question?.agent ?? "–"}</Line>
        {blocks.tasks > 0 && (
          <Line name={t("inboxItem.blocks")}>{t("inboxItem.tasks", { count: blocks.tasks })}</Line>
        )}
        {blocks.timeMs >= 1000 && (
          <Line name={t("inboxItem.criticalPath")}>+{formatDuration(blocks.timeMs)}</Line>
        )}
        {session && (
          <Line name={t("task.session")}>{t(`sessionState.${session.park ?? session.state}`)}</Line>
        )}
      </dl>
      <p className="text-ask text-xs md:hidden">
        {blocks.tasks > 0 && `${t("inboxItem.blocksTasks", { count: blocks.tasks })} · `}
        <Ago at={entry.sinceAt} />
      </p>
    </section>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
