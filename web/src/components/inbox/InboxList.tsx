import { Coffee } from "lucide-react";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useInbox } from "~/api/hooks";
import { ErrorMessage } from "~/components/ErrorMessage";
import { Loading } from "~/components/Loading";
import { Notice } from "~/components/Notice";
import { useOpenTask } from "~/components/navigation";
import { useShortcuts } from "~/components/shortcuts";
import { useCardSelection, useOptionKeys } from "./cardSelection";
import { InboxCard } from "./InboxCard";

type Props = { run?: string; keys?: boolean };

/** The inbox, most urgent entries first. j and k move, numbers choose an option, Enter goes to the text field. */
export function InboxList({ run, keys = true }: Props) {
  const { t } = useTranslation();
  const inbox = useInbox(run);
  const list = useRef<HTMLDivElement>(null);
  const open = useOpenTask();
  const rows = inbox.data ?? [];
  const { name: selected, move, acceptsKeys } = useCardSelection(inbox.data?.map(entryId), keys);
  // On a narrow screen the list beside a view is hidden, and its keys must do nothing.
  const isShown = () => list.current?.checkVisibility() ?? false;
  const card = () => (isShown() ? list.current?.querySelector<HTMLElement>("[data-selected]") : null);
  useEffect(() => {
    if (selected !== null)
      list.current?.querySelector("[data-selected]")?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  const focusInput = () => card()?.querySelector<HTMLElement>("[data-answer], [data-option]")?.focus();
  const isActive = keys && rows.length > 0;
  useOptionKeys(card, acceptsKeys, isActive);
  useShortcuts(
    {
      j: () => move(1),
      k: () => move(-1),
      Enter: focusInput,
      o: () => {
        const row = isShown() ? rows.find((row) => entryId(row) === selected) : undefined;
        if (row?.task) open(row.task, undefined, row.run);
      },
    },
    isActive,
  );
  if (inbox.status === "pending") return <Loading rows={3} />;
  if (inbox.status === "error")
    return <ErrorMessage error={inbox.error} retry={() => void inbox.refetch()} />;
  if (rows.length === 0) {
    return (
      <Notice title={t("inbox.empty")} icon={<Coffee aria-hidden size={22} />}>
        <p>{t("inbox.emptyHint")}</p>
      </Notice>
    );
  }
  return (
    <div ref={list} className="flex flex-col gap-2.5">
      {rows.map((row) => {
        const isSelected = keys && entryId(row) === selected;
        return (
          <div key={entryId(row)} {...(isSelected && { "data-selected": true })}>
            <InboxCard entry={row} isSelected={isSelected} showsRun={run === undefined} />
          </div>
        );
      })}
    </div>
  );
}

const entryId = (row: { run: string; item: { type: string; id: string | number } }) =>
  `${row.run}/${row.item.type}/${row.item.id}`;
