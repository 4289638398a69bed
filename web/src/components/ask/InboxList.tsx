import { Coffee } from "lucide-react";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useWaiting } from "~/api/hooks";
import { useKeys } from "~/components/keys";
import { Loading } from "~/components/Loading";
import { useOpenTask } from "~/components/open";
import { Problem } from "~/components/Problem";
import { Said } from "~/components/Said";
import { useChosen, useNumbers } from "./chosen";
import { WaitingCard } from "./WaitingCard";

type Props = { run?: string; keys?: boolean };

/** What waits for a person, the most urgent first. j and k move, numbers choose, Enter writes. */
export function InboxList({ run, keys = true }: Props) {
  const { t } = useTranslation();
  const waiting = useWaiting(run);
  const list = useRef<HTMLDivElement>(null);
  const open = useOpenTask();
  const rows = waiting.data ?? [];
  const { name: chosen, move, isSeen } = useChosen(waiting.data?.map(nameOf), keys);
  // Beside a view there may be no room for the list, and nobody answers what they don't see.
  const isShown = () => list.current?.checkVisibility() ?? false;
  const card = () => (isShown() ? list.current?.querySelector<HTMLElement>("[data-chosen]") : null);
  useEffect(() => {
    if (chosen !== null) list.current?.querySelector("[data-chosen]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const write = () => card()?.querySelector<HTMLElement>("[data-answer], [data-option]")?.focus();
  const isActive = keys && rows.length > 0;
  useNumbers(card, isSeen, isActive);
  useKeys(
    {
      j: () => move(1),
      k: () => move(-1),
      Enter: write,
      o: () => {
        const row = isShown() ? rows.find((row) => nameOf(row) === chosen) : undefined;
        if (row?.task) open(row.task, undefined, row.run);
      },
    },
    isActive,
  );
  if (waiting.status === "pending") return <Loading rows={3} />;
  if (waiting.status === "error")
    return <Problem error={waiting.error} retry={() => void waiting.refetch()} />;
  if (rows.length === 0) {
    return (
      <Said title={t("inbox.empty")} icon={<Coffee aria-hidden size={22} />}>
        <p>{t("inbox.emptyHint")}</p>
      </Said>
    );
  }
  return (
    <div ref={list} className="flex flex-col gap-2.5">
      {rows.map((row) => (
        <div key={nameOf(row)} {...(keys && nameOf(row) === chosen && { "data-chosen": true })}>
          <WaitingCard waiting={row} chosen={keys && nameOf(row) === chosen} namesRun={run === undefined} />
        </div>
      ))}
    </div>
  );
}

const nameOf = (row: { run: string; item: { type: string; id: string | number } }) =>
  `${row.run}/${row.item.type}/${row.item.id}`;
