import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { GateRow, InboxAction, UserCommand } from "~/api/generated";
import { Button } from "~/components/Button";
import { useDraft } from "~/components/inbox/drafts";
import { useSendCommand } from "~/components/inbox/useSendCommand";
import { composeReview, countWritten, type ReviewComments } from "~/components/reviewComments";

type Props = {
  run: string;
  gate: GateRow;
  actions: readonly InboxAction[];
  /** The tasks for which changes are requested; none means that Jangdan chooses. */
  tasks: string[];
  comments: ReviewComments & { clear: () => void };
};

/** Approves a phase, or requests changes for the chosen tasks. */
export function ReviewDecision({ run, gate, actions, tasks, comments }: Props) {
  const { t } = useTranslation();
  const id = useId();
  const { send, busy } = useSendCommand(run);
  const [reason, setReason] = useDraft(run, "gate", gate.phase);
  const settle = async (command: UserCommand, done: string) => {
    if (!(await send(command, done))) return;
    setReason("");
    comments.clear();
  };
  const nComments = countWritten(comments.comments);
  const isEmpty = reason.trim() === "" && nComments === 0;
  return (
    <div
      data-review={gate.phase}
      className="flex shrink-0 flex-wrap items-end gap-2 border-ask-line border-t bg-ask-soft px-4 py-3 md:px-6"
    >
      <label htmlFor={id} className="sr-only">
        {t("gate.reason")}
      </label>
      <textarea
        id={id}
        data-answer
        rows={1}
        value={reason}
        placeholder={t("gate.reason")}
        onChange={(event) => setReason(event.target.value)}
        className="field-sizing-content max-h-40 min-h-9 min-w-48 flex-1 resize-none rounded-lg border border-ask-line bg-panel px-2.5 py-1.5 placeholder:text-faint max-md:min-h-11 max-md:basis-full max-md:text-base"
      />
      {nComments > 0 && (
        <span className="self-center whitespace-nowrap text-ask">
          {t("review.comments", { count: nComments })}
        </span>
      )}
      {actions.includes("reject") && (
        <Button
          variant="ask"
          className="min-h-9"
          disabled={busy || isEmpty}
          title={isEmpty ? t("review.needsReason") : undefined}
          onClick={() =>
            void settle(
              {
                rejectGate: {
                  phase: gate.phase,
                  reason: composeReview(reason, comments.comments),
                  tasks,
                },
              },
              t("gate.rejected"),
            )
          }
        >
          {tasks.length > 0 ? t("review.rejectTasks", { count: tasks.length }) : t("gate.reject")}
        </Button>
      )}
      {actions.includes("approve") && (
        <Button
          variant="approve"
          className="min-h-9"
          // A reason that is written and not sent would be lost.
          disabled={busy || !isEmpty}
          title={isEmpty ? undefined : t("review.unsentReason")}
          onClick={() => void settle({ approveGate: { phase: gate.phase } }, t("gate.approved"))}
        >
          {t("review.approve", { n: gate.phase })}
        </Button>
      )}
    </div>
  );
}
