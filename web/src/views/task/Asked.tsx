import { type ReactNode, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { InboxEntry } from "~/api/generated";
import { useRow, useWaiting } from "~/api/hooks";
import { AskedText } from "~/components/ask/AskedText";
import { WaitingForm } from "~/components/ask/WaitingCard";
import { useInWords } from "~/components/inWords";
import { useKeys } from "~/components/keys";
import { Ago } from "~/components/Time";
import { useSpan } from "~/components/time";

/** What the task waits for: a person's word, or the orchestrator's. Stands above every tab. */
export function Asked({ run, task }: { run: string; task: string }) {
  const { t } = useTranslation();
  const inWords = useInWords();
  const box = useRef<HTMLDivElement>(null);
  const waiting = (useWaiting(run).data ?? []).filter((row) => row.task === task);
  const row = useRow(run, "task", task);
  const question = useRow(run, "question", row?.question?.id);
  const press = (n: number) => box.current?.querySelector<HTMLElement>(`[data-option="${n}"]`)?.click();
  const numbers = Object.fromEntries(
    Array.from({ length: 9 }, (_, n) => [String(n + 1), () => press(n + 1)]),
  );
  useKeys(numbers, waiting.length > 0);
  if (waiting.length > 0) {
    return (
      <div ref={box} className="max-h-[52%] shrink-0 overflow-y-auto border-ask-line border-b bg-ask-soft">
        {waiting.map((item) => (
          <Item key={`${item.item.type}/${item.item.id}`} waiting={item} />
        ))}
      </div>
    );
  }
  if (question?.status !== "withOrchestrator") return null;
  return (
    <p className="border-line border-b px-5 py-2 text-soft">
      {t("task.withOrchestrator")} <b className="text-ink">{inWords(question)}</b>
    </p>
  );
}

function Item({ waiting }: { waiting: InboxEntry }) {
  const { t } = useTranslation();
  const span = useSpan();
  const inWords = useInWords();
  const { run, item, holdsUp } = waiting;
  const task = useRow(run, "task", waiting.task);
  const session = useRow(run, "session", task?.session);
  return (
    <section
      aria-label={inWords(waiting)}
      data-waiting={`${run}/${item.id}`}
      className="grid gap-x-6 gap-y-2 px-4 py-3 md:grid-cols-[1fr_auto] md:px-5"
    >
      <div className="flex min-w-0 flex-col gap-2">
        <AskedText level="h2" text={inWords(waiting)} />
        <WaitingForm waiting={waiting} />
      </div>
      <dl className="grid h-fit grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-sm max-md:hidden">
        <Line name={t(`waiting.${item.type}`)}>
          <Ago at={waiting.sinceAt} />
        </Line>
        <Line name={t("asked.by")}>{task?.agent ?? "–"}</Line>
        <Line name={t("asked.holds")}>{t("asked.tasks", { count: holdsUp.tasks })}</Line>
        {holdsUp.timeMs >= 1000 && <Line name={t("asked.path")}>+{span(holdsUp.timeMs)}</Line>}
        {session && <Line name={t("task.session")}>{t(`session.${session.park ?? session.state}`)}</Line>}
      </dl>
      <p className="text-ask text-xs md:hidden">
        {t("ask.holdsUp", { count: holdsUp.tasks })} · <Ago at={waiting.sinceAt} />
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
