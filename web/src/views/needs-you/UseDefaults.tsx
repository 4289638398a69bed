import { useState } from "react";
import { useTranslation } from "react-i18next";
import { sendCommand } from "~/api/commands";
import type { InboxEntry } from "~/api/generated";
import { useRows } from "~/api/hooks";
import { Button } from "~/components/Button";
import { ConfirmSheet } from "~/components/ConfirmSheet";
import { splitHeading } from "~/components/inbox/QuestionText";
import { useLocalizedText } from "~/components/localizedText";
import { toast } from "~/components/toasts";
import { toDefaultAnswers } from "./toDefaultAnswers";

/** Answers all questions that have a default with it, after a confirmation that lists them. */
export function UseDefaults({ run, entries }: { run: string; entries: readonly InboxEntry[] }) {
  const { t } = useTranslation();
  const localize = useLocalizedText();
  const questions = useRows(run, "question").data;
  const [isConfirming, setConfirming] = useState(false);
  const answers = toDefaultAnswers(entries, questions ?? {});
  // One question has the button in its own form.
  if (answers.length < 2) return null;
  const answerAll = async () => {
    for (const { question, answer } of answers)
      await sendCommand(run, { answer: { question: question.id, answer } });
    toast.done(t("needsYou.defaultsUsed", { count: answers.length }));
    return null;
  };
  return (
    <div className="shrink-0 border-line border-t px-4 py-2">
      <Button onClick={() => setConfirming(true)}>
        {t("needsYou.useDefaults", { count: answers.length })}
      </Button>
      {isConfirming && (
        <ConfirmSheet
          title={t("needsYou.useDefaultsTitle", { count: answers.length })}
          confirmLabel={t("needsYou.useDefaultsConfirm", { count: answers.length })}
          variant="main"
          onConfirm={answerAll}
          onClose={() => setConfirming(false)}
        >
          <ul className="flex max-h-[50vh] flex-col gap-2 overflow-y-auto">
            {answers.map(({ question, answer }) => (
              <li key={question.id} className="flex flex-col">
                <span className="line-clamp-2 text-ink">
                  {question.task && <code className="font-mono text-soft text-xs">{question.task} </code>}
                  {splitHeading(localize(question)).heading}
                </span>
                <b className="font-semibold text-ask">{answer}</b>
              </li>
            ))}
          </ul>
        </ConfirmSheet>
      )}
    </div>
  );
}
