import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { ChatRow } from "~/api/generated";
import { useRow, useRows } from "~/api/hooks";
import { AskedText } from "~/components/ask/AskedText";
import { HoldsUp } from "~/components/ask/HoldsUp";
import { QuestionForm } from "~/components/ask/QuestionForm";
import { useInWords } from "~/components/inWords";
import { Markdown } from "~/components/Markdown";
import { useCardOpening, useOpening } from "~/components/opening";
import { Said } from "~/components/Said";
import { Clock } from "~/components/Time";
import { Unready } from "~/components/Unready";
import { useEnd } from "~/components/useEnd";
import { ChatBox } from "./ChatBox";

/** The talk between person and orchestrator about a run, with its questions as cards. */
export default function Chat({ run }: { run: string }) {
  const { t } = useTranslation();
  const chat = useRows(run, "chat");
  // Without them nobody knows whether what is written would answer something.
  const questions = useRows(run, "question");
  const box = useRef<HTMLDivElement>(null);
  const rows = Object.values(chat.data ?? {}).sort((left, right) => left.index - right.index);
  const n = rows.length;
  useEnd(() => box.current, n, rows.at(-1)?.author === "person");
  if (!chat.data || !questions.data) return <Unready needed={[chat, questions]} />;
  return (
    <div className="mx-auto flex h-full max-w-3xl flex-col">
      <div ref={box} className="min-h-0 flex-1 overflow-y-auto px-4 py-3">
        {n === 0 && (
          <Said title={t("chat.empty")}>
            <p>{t("chat.emptyHint")}</p>
          </Said>
        )}
        <ol className="flex flex-col gap-3">
          {rows.map((row) => (
            <Message key={row.index} run={run} row={row} />
          ))}
        </ol>
      </div>
      <ChatBox run={run} />
    </div>
  );
}

function Message({ run, row }: { run: string; row: ChatRow }) {
  const { t } = useTranslation();
  const inWords = useInWords();
  if (row.isCard && row.question) {
    return (
      <li>
        <Card run={run} id={row.question} row={row} />
      </li>
    );
  }
  if (row.author === "system") {
    return (
      <li className="text-center text-soft text-xs">
        {inWords(row)} · <Clock at={row.saidAt} />
      </li>
    );
  }
  const isMine = row.author === "person";
  return (
    <li
      data-author={row.author}
      className={`flex max-w-[85%] flex-col gap-0.5 ${isMine ? "self-end" : "self-start"}`}
    >
      <span className={`text-faint text-xs ${isMine ? "text-right" : ""}`}>
        {isMine ? (row.name ?? t("chat.you")) : t("chat.orchestrator")}
        {row.question && ` · ${row.question}`} · <Clock at={row.saidAt} />
      </span>
      <div
        className={`rounded-xl border px-3 py-2 ${isMine ? "border-transparent bg-accent-soft" : "border-line bg-panel"}`}
      >
        <Markdown text={row.text} />
      </div>
    </li>
  );
}

/** The card of a question: to be answered, or what the answer was. */
function Card({ run, id, row }: { run: string; id: string; row: ChatRow }) {
  const { t } = useTranslation();
  const opening = useOpening();
  const cardOpening = useCardOpening();
  const inWords = useInWords();
  const question = useRow(run, "question", id);
  const isPending = question?.status === "pending";
  const task = question?.task ?? null;
  return (
    <article
      data-card={id}
      aria-label={inWords(row)}
      {...cardOpening(task)}
      // In the chat numbers press nothing, so none are shown.
      className={`flex flex-col gap-2 rounded-xl border px-3.5 py-3 [&_kbd]:hidden ${isPending ? "border-ask-line bg-ask-soft" : "border-line bg-panel"}`}
    >
      <header className="flex flex-wrap justify-between gap-2 text-soft text-xs">
        {task ? (
          <button type="button" className="hover:underline" {...opening(task)}>
            <b className="font-mono text-ink">{task}</b> {question?.agent}
          </button>
        ) : (
          <b className="text-ink">{t("ask.ofRun")}</b>
        )}
        <span>
          {question && t(`questionState.${question.status}`)} · <Clock at={row.saidAt} />
        </span>
      </header>
      <AskedText level="h3" text={inWords(row)} />
      {question && isPending && (
        <>
          <QuestionForm run={run} question={question} />
          <p className="text-ask text-xs">
            <HoldsUp holdsUp={question.holdsUp} />
          </p>
        </>
      )}
      {question?.answer != null && (
        <p>
          <b className="text-done">✓</b> {question.answer}
        </p>
      )}
    </article>
  );
}
