import { type ReactNode, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { ChatRow } from "~/api/generated";
import { useInbox, useRow, useRows } from "~/api/hooks";
import { BlockedWork } from "~/components/inbox/BlockedWork";
import { ItemLayoutProvider } from "~/components/inbox/ItemFrame";
import { QuestionForm } from "~/components/inbox/QuestionForm";
import { QuestionText } from "~/components/inbox/QuestionText";
import { useLocalizedText } from "~/components/localizedText";
import { Markdown } from "~/components/Markdown";
import { Notice } from "~/components/Notice";
import { useOpenTask } from "~/components/navigation";
import { QueryFallback } from "~/components/QueryFallback";
import { ClockTime } from "~/components/Time";
import { useStickToEnd } from "~/components/useStickToEnd";
import { ChatBox } from "./ChatBox";

/** The chat with the orchestrator of a run, with questions as cards. */
export function Chat({ run }: { run: string }) {
  const { t } = useTranslation();
  const chat = useRows(run, "chat");
  // Needed to decide whether a message answers a question.
  const questions = useRows(run, "question");
  const box = useRef<HTMLDivElement>(null);
  const rows = Object.values(chat.data ?? {}).sort((left, right) => left.index - right.index);
  const n = rows.length;
  useStickToEnd(() => box.current, n, rows.at(-1)?.author === "person");
  if (!chat.data || !questions.data) return <QueryFallback queries={[chat, questions]} />;
  return (
    <div className="mx-auto flex h-full max-w-3xl flex-col">
      <div ref={box} className="min-h-0 flex-1 overflow-y-auto px-4 py-3">
        {n === 0 && (
          <Notice title={t("chat.empty")}>
            <p>{t("chat.emptyHint")}</p>
          </Notice>
        )}
        <ol className="flex flex-col gap-3">
          {rows.map((row) => (
            <ChatMessage key={row.index} run={run} row={row} />
          ))}
        </ol>
      </div>
      <ChatBox run={run} />
    </div>
  );
}

function ChatMessage({ run, row }: { run: string; row: ChatRow }) {
  const { t } = useTranslation();
  const localize = useLocalizedText();
  if (row.isCard && row.question) {
    return (
      <li>
        <QuestionCard run={run} id={row.question} row={row} />
      </li>
    );
  }
  if (row.author === "system") {
    return (
      <li className="text-center text-soft text-xs">
        {localize(row)} · <ClockTime at={row.sentAt} />
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
        {row.question && ` · ${row.question}`} · <ClockTime at={row.sentAt} />
      </span>
      <div
        className={`rounded-xl border px-3 py-2 ${isMine ? "border-transparent bg-accent-soft" : "border-line bg-panel"}`}
      >
        <Markdown text={row.text} />
      </div>
    </li>
  );
}

/** A long context scrolls, so that the messages around the card stay near. */
const chatLayout = ({ details, answer }: { details: ReactNode; answer: ReactNode }) => (
  <>
    <div tabIndex={0} className="flex max-h-44 flex-col gap-2 overflow-y-auto empty:hidden">
      {details}
    </div>
    {answer}
  </>
);

/** A question with its form, or with its answer. */
function QuestionCard({ run, id, row }: { run: string; id: string; row: ChatRow }) {
  const { t } = useTranslation();
  const openTask = useOpenTask();
  const localize = useLocalizedText();
  const question = useRow(run, "question", id);
  const isPending = question?.status === "pending";
  const entry = useInbox(run).data?.find(({ item }) => item.type === "question" && item.id === id);
  const task = question?.task ?? null;
  return (
    <article
      data-card={id}
      aria-label={localize(row)}
      // Number keys do nothing in the chat, so they are hidden.
      className={`flex flex-col gap-2 rounded-xl border px-3.5 py-3 [&_kbd]:hidden ${isPending ? "border-ask-line bg-ask-soft" : "border-line bg-panel"}`}
    >
      <header className="flex flex-wrap justify-between gap-2 text-soft text-xs">
        {task ? (
          <button type="button" className="hover:underline" onClick={() => openTask(task)}>
            <b className="font-mono text-ink">{task}</b> {question?.agent}
          </button>
        ) : (
          <b className="text-ink">{t("inboxItem.aboutRun")}</b>
        )}
        <span>
          {question && t(`questionState.${question.status}`)} · <ClockTime at={row.sentAt} />
        </span>
      </header>
      <QuestionText level="h3" text={localize(row)} />
      {question && entry && (
        <>
          <ItemLayoutProvider value={chatLayout}>
            <QuestionForm
              run={run}
              question={question}
              actions={entry.actions}
              equalTasks={entry.equalTasks}
            />
          </ItemLayoutProvider>
          <BlockedWork blocks={question.blocks} />
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
