import { type ReactNode, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { InboxEntry } from "~/api/generated";
import { useRow, useRows, useWaiting } from "~/api/hooks";
import { useInWords } from "~/components/inWords";
import { Ago } from "~/components/Time";
import { useSpan } from "~/components/time";
import { AskedText } from "./AskedText";
import { useChosen, useNumbers } from "./chosen";
import { type AskedOf, toAsked } from "./toAsked";
import { WaitingForm } from "./WaitingCard";

/** What a task or a session waits for: a person's word, or the orchestrator's. Stands above every tab. */
export function Asked({ run, of }: { run: string; of: AskedOf }) {
  const { t } = useTranslation();
  const inWords = useInWords();
  const box = useRef<HTMLDivElement>(null);
  const inbox = useWaiting(run);
  const questions = useRows(run, "question").data;
  const waiting = toAsked(inbox.data ?? [], questions ?? {}, of);
  const row = useRow(run, "task", "task" in of ? of.task : null);
  const question = useRow(run, "question", row?.question?.id);
  const { name: chosen, isSeen } = useChosen(inbox.data && waiting.map(nameOf));
  const section = () => box.current?.querySelector<HTMLElement>("[data-chosen]");
  useNumbers(section, isSeen, waiting.length > 0);
  if (waiting.length > 0) {
    return (
      <div ref={box} className="max-h-[52%] shrink-0 overflow-y-auto border-ask-line border-b bg-ask-soft">
        {waiting.map((item) => (
          <Item
            key={nameOf(item)}
            waiting={item}
            isChosen={nameOf(item) === chosen}
            isMarked={waiting.length > 1 && nameOf(item) === chosen}
          />
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

const nameOf = ({ item }: InboxEntry) => `${item.type}/${item.id}`;

type ItemProps = { waiting: InboxEntry; isChosen: boolean; isMarked: boolean };

function Item({ waiting, isChosen, isMarked }: ItemProps) {
  const { t } = useTranslation();
  const span = useSpan();
  const inWords = useInWords();
  const { run, item, holdsUp } = waiting;
  const task = useRow(run, "task", waiting.task);
  const question = useRow(run, "question", item.type === "question" ? item.id : null);
  const session = useRow(run, "session", task?.session ?? question?.session);
  return (
    <section
      aria-label={inWords(waiting)}
      data-waiting={`${run}/${item.id}`}
      {...(isChosen && { "data-chosen": true })}
      className={`grid gap-x-6 gap-y-2 px-4 py-3 md:grid-cols-[1fr_auto] md:px-5 ${isMarked ? "ring-1 ring-ask-fill ring-inset" : ""}`}
    >
      <div className="flex min-w-0 flex-col gap-2">
        <AskedText level="h2" text={inWords(waiting)} />
        <WaitingForm waiting={waiting} />
      </div>
      <dl className="grid h-fit grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-sm max-md:hidden">
        <Line name={t(`waiting.${item.type}`)}>
          <Ago at={waiting.sinceAt} />
        </Line>
        <Line name={t("asked.by")}>{task?.agent ?? question?.agent ?? "–"}</Line>
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
