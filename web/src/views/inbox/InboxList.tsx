import { Coffee } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useRuns, useWaiting } from "~/api/hooks";
import { WaitingCard } from "~/components/ask/WaitingCard";
import { useKeys } from "~/components/keys";
import { Loading } from "~/components/Loading";
import { useOpenTask } from "~/components/open";
import { Problem } from "~/components/Problem";
import { Said } from "~/components/Said";

type Props = { run?: string; keys?: boolean };

/** What waits for a person, the most urgent first. j and k move, numbers choose, Enter writes. */
export function InboxList({ run, keys = true }: Props) {
  const { t } = useTranslation();
  const waiting = useWaiting(run);
  const runs = useRuns().data ?? [];
  const list = useRef<HTMLDivElement>(null);
  const open = useOpenTask();
  const [chosen, setChosen] = useState<string | null>(null);
  const rows = waiting.data ?? [];
  const at = Math.max(
    0,
    rows.findIndex((row) => nameOf(row) === chosen),
  );
  // Beside a view there may be no room for the list, and nobody answers what they don't see.
  const isSeen = () => list.current?.checkVisibility() ?? false;
  const card = () => (isSeen() ? list.current?.querySelector<HTMLElement>("[data-chosen]") : null);
  const move = (by: number) => {
    const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
    if (next) setChosen(nameOf(next));
  };
  useEffect(() => {
    if (chosen !== null) list.current?.querySelector("[data-chosen]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const press = (n: number) => card()?.querySelector<HTMLElement>(`[data-option="${n}"]`)?.click();
  const write = () => card()?.querySelector<HTMLElement>("[data-answer], [data-option]")?.focus();
  const numbers = Object.fromEntries(
    Array.from({ length: 9 }, (_, n) => [String(n + 1), () => press(n + 1)]),
  );
  useKeys(
    {
      j: () => move(1),
      k: () => move(-1),
      Enter: write,
      o: () => {
        const row = isSeen() ? rows[at] : undefined;
        if (row?.task) open(row.task, undefined, row.run);
      },
      ...numbers,
    },
    keys && rows.length > 0,
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
      {rows.map((row, index) => (
        <div key={nameOf(row)} {...(keys && index === at && { "data-chosen": true })}>
          <WaitingCard
            waiting={row}
            chosen={keys && index === at}
            runTitle={run ? undefined : runs.find(({ id }) => id === row.run)?.title}
          />
        </div>
      ))}
    </div>
  );
}

const nameOf = (row: { run: string; item: { type: string; id: string | number } }) =>
  `${row.run}/${row.item.type}/${row.item.id}`;
