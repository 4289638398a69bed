import { useState } from "react";
import { useTranslation } from "react-i18next";
import { sendCommand } from "~/api/commands";
import type { QuestionRow } from "~/api/generated";
import { useInbox, useRows } from "~/api/hooks";
import { ApiError } from "~/api/http";
import { Button } from "~/components/Button";
import { useDraft } from "~/components/inbox/drafts";
import { useLocalizedText } from "~/components/localizedText";
import { toast } from "~/components/toasts";
import { answerTarget } from "./answerTarget";
import { toOpenQuestions } from "./toOpenQuestions";

/**
 * The text field of the chat. Text that is begun while one question is open answers that question, even if others arrive
 * meanwhile. Otherwise, if questions are open, the user picks one from a list.
 */
export function ChatBox({ run }: { run: string }) {
  const { t } = useTranslation();
  const localize = useLocalizedText();
  const [text, setText] = useDraft(run, "chat");
  const [chosen, setChosen] = useState<string | null>(null);
  const [isPicking, setIsPicking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [rejected, setRejected] = useState<string | null>(null);
  const rows = useRows(run, "question");
  const inbox = useInbox(run);
  const questions = Object.values(rows.data ?? {});
  const pending = toOpenQuestions(rows.data ?? {}, inbox.data ?? []);
  const isLoaded = rows.data !== undefined && inbox.data !== undefined;
  // An answer that was rejected because its question is settled has no target any more.
  const isTarget = ({ id, status }: QuestionRow) =>
    id === chosen && (status === "pending" || id !== rejected);
  const target = questions.find(isTarget) ?? null;
  const write = (next: string) => {
    setText(next);
    setChosen(
      answerTarget({ before: chosen, wasEmpty: text.trim() === "", isEmpty: next.trim() === "", pending }),
    );
  };
  const send = async (isForOrchestrator = false) => {
    const message = text.trim();
    // Without the questions it is unknown whether the message answers one.
    if (message === "" || busy || !isLoaded) return;
    if (pending.length > 0 && !target && !isForOrchestrator) {
      setIsPicking(true);
      return;
    }
    setBusy(true);
    try {
      const chat = { chat: { text: message, talkOnly: true } };
      await sendCommand(
        run,
        target && !isForOrchestrator ? { answer: { question: target.id, answer: message } } : chat,
      );
      setText("");
      setChosen(null);
      setIsPicking(false);
    } catch (error) {
      if (error instanceof ApiError) {
        setRejected(target?.id ?? null);
        setIsPicking(error.pending.length > 0);
      }
      toast.failed(error);
    } finally {
      setBusy(false);
    }
  };
  const label = target
    ? t("chat.answers", { question: localize(target).split("\n")[0] })
    : pending.length === 1
      ? t("chat.answersOne")
      : t("chat.write");
  return (
    <div className="shrink-0 border-line border-t bg-panel px-4 py-3">
      {isPicking && pending.length > 0 && (
        <QuestionPicker
          pending={pending}
          chosen={chosen}
          onChoose={setChosen}
          onTell={() => void send(true)}
        />
      )}
      {target && text !== "" && (
        <div className="mb-1.5 flex items-center gap-2">
          <p className="min-w-0 flex-1 truncate text-ask text-xs">
            <code className="font-mono">{target.task ?? target.id}</code> {label}
          </p>
          {!isPicking && (
            <Button variant="quiet" onClick={() => void send(true)}>
              {t("chat.justTell")}
            </Button>
          )}
        </div>
      )}
      <form
        className="flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <textarea
          aria-label={label}
          placeholder={label}
          rows={1}
          value={text}
          onChange={(event) => write(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void send();
          }}
          className="field-sizing-content max-h-48 min-h-9 min-w-0 flex-1 resize-none rounded-lg border border-line bg-raise px-3 py-2 placeholder:text-faint"
        />
        <Button
          variant="main"
          type="submit"
          disabled={busy || !isLoaded || text.trim() === ""}
          className="min-h-9"
        >
          {t("question.send")}
        </Button>
      </form>
    </div>
  );
}

type QuestionPickerProps = {
  pending: QuestionRow[];
  chosen: string | null;
  onChoose: (id: string) => void;
  /** Sends the text to the orchestrator; it answers no question. */
  onTell: () => void;
};

function QuestionPicker({ pending, chosen, onChoose, onTell }: QuestionPickerProps) {
  const { t } = useTranslation();
  const localize = useLocalizedText();
  const which = t("chat.which", { count: pending.length });
  return (
    <fieldset aria-label={which} className="mb-2 min-w-0 rounded-xl border border-ask-line bg-ask-soft p-2.5">
      <p className="mb-1.5 font-medium text-ask">{which}</p>
      <div className="flex flex-col gap-1">
        {pending.map((question) => (
          <Button
            key={question.id}
            variant="ask"
            aria-pressed={question.id === chosen}
            className="w-full aria-pressed:border-ask"
            onClick={() => onChoose(question.id)}
          >
            <code className="font-mono text-xs">{question.task ?? question.id}</code>
            <span className="min-w-0 truncate font-normal">{localize(question)}</span>
          </Button>
        ))}
        <Button variant="quiet" className="w-fit" onClick={onTell}>
          {t("chat.justTell")}
        </Button>
      </div>
    </fieldset>
  );
}
