import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { QuestionRow } from "~/api/generated";
import { useRows } from "~/api/hooks";
import { Refusal } from "~/api/http";
import { wish } from "~/api/wishes";
import { useDraft } from "~/components/ask/drafts";
import { Button } from "~/components/Button";
import { useInWords } from "~/components/inWords";
import { toast } from "~/components/toasts";
import { toTarget } from "./toTarget";

/**
 * Where one writes. What is begun while one question waits answers that one, also when others come meanwhile; in any
 * other case in which questions wait, the list of them stands there instead of a guess.
 */
export function ChatBox({ run }: { run: string }) {
  const { t } = useTranslation();
  const inWords = useInWords();
  const [text, setText] = useDraft(run, "chat");
  const [chosen, setChosen] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const rows = useRows(run, "question");
  const questions = Object.values(rows.data ?? {});
  const pending = questions.filter((question) => question.status === "pending");
  // What was refused because it is settled is for something else now; what it can't be answered with is changed.
  const isMeant = ({ id, status }: QuestionRow) => id === chosen && (status === "pending" || id !== refused);
  const target = questions.find(isMeant) ?? null;
  const write = (next: string) => {
    setText(next);
    setChosen(
      toTarget({ before: chosen, wasEmpty: text.trim() === "", isEmpty: next.trim() === "", pending }),
    );
  };
  const send = async () => {
    const said = text.trim();
    // Nobody knows yet whether it would answer something.
    if (said === "" || busy || !rows.data) return;
    if (pending.length > 0 && !target) {
      setAsked(true);
      return;
    }
    setBusy(true);
    try {
      const talk = { chat: { text: said, talkOnly: true } };
      await wish(run, target ? { answer: { question: target.id, answer: said } } : talk);
      setText("");
      setChosen(null);
      setAsked(false);
    } catch (error) {
      if (error instanceof Refusal) {
        setRefused(target?.id ?? null);
        setAsked(error.pending.length > 0);
      }
      toast.failed(error);
    } finally {
      setBusy(false);
    }
  };
  const label = target
    ? t("chat.answers", { question: inWords(target).split("\n")[0] })
    : pending.length === 1
      ? t("chat.answersOne")
      : t("chat.write");
  return (
    <div className="shrink-0 border-line border-t bg-panel px-4 py-3">
      {isAsked && pending.length > 0 && <Choices pending={pending} chosen={chosen} onChoose={setChosen} />}
      {target && text !== "" && (
        <p className="mb-1.5 truncate text-ask text-xs">
          <code className="font-mono">{target.task ?? target.id}</code> {label}
        </p>
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
          look="main"
          type="submit"
          disabled={busy || !rows.data || text.trim() === ""}
          className="min-h-9"
        >
          {t("ask.send")}
        </Button>
      </form>
    </div>
  );
}

type ChoicesProps = { pending: QuestionRow[]; chosen: string | null; onChoose: (id: string) => void };

function Choices({ pending, chosen, onChoose }: ChoicesProps) {
  const { t } = useTranslation();
  const inWords = useInWords();
  const which = t("chat.which", { count: pending.length });
  return (
    <fieldset aria-label={which} className="mb-2 min-w-0 rounded-xl border border-ask-line bg-ask-soft p-2.5">
      <p className="mb-1.5 font-medium text-ask">{which}</p>
      <div className="flex flex-col gap-1">
        {pending.map((question) => (
          <Button
            key={question.id}
            look="ask"
            aria-pressed={question.id === chosen}
            className="w-full aria-pressed:border-ask"
            onClick={() => onChoose(question.id)}
          >
            <code className="font-mono text-xs">{question.task ?? question.id}</code>
            <span className="min-w-0 truncate font-normal">{inWords(question)}</span>
          </Button>
        ))}
      </div>
    </fieldset>
  );
}
