import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import type { EscalationAction, EscalationRow, InboxAction, UserCommand } from "~/api/generated";
import { Button } from "~/components/Button";
import { ErrorBoundary } from "~/components/ErrorBoundary";
import { lazyWithRetry } from "~/components/lazyWithRetry";
import { Markdown } from "~/components/Markdown";
import { toast } from "~/components/toasts";
import { CommentInput } from "./CommentInput";
import { useDraft } from "./drafts";
import { ItemFrame } from "./ItemFrame";
import { LastWords } from "./LastWords";
import { toResolutions } from "./toResolutions";
import { useSendCommand } from "./useSendCommand";

// Loaded on demand, because it needs the dialog code.
const TaskActionSheet = lazyWithRetry(() => import("~/components/TaskActionSheet"));

type Props = { run: string; escalation: EscalationRow; actions: readonly InboxAction[] };

/** A problem that was escalated to the person, with the allowed actions. */
export function EscalationForm({ run, escalation, actions: allowed }: Props) {
  const { t } = useTranslation();
  const { send, busy } = useSendCommand(run);
  const [hint, setHint] = useDraft(run, "escalation", escalation.id);
  const actions = toResolutions(allowed);
  const canRetry = actions.some((action) => action.type === "retry");
  const [confirming, setConfirming] = useState<FinalAction | null>(null);
  const toCommand = (action: EscalationAction): UserCommand => ({
    resolve: { escalation: escalation.id, action: addHintToRetry(action, hint.trim()) },
  });
  const resolve = async (action: EscalationAction) => {
    if (escalation.task !== null && isFinalAction(action)) setConfirming(action);
    else if (await send(toCommand(action), t("escalation.resolved"))) setHint("");
  };
  const details = (
    <>
      <p className="font-medium text-ask text-xs">{t(`escalation.kind.${escalation.kind}`)}</p>
      {escalation.description && <Markdown text={escalation.description} />}
      {escalation.task !== null && <LastWords run={run} task={escalation.task} />}
      {escalation.context && (
        <details open={hasCheckOutput(escalation)}>
          <summary className="cursor-pointer text-soft text-xs">{t("escalation.context")}</summary>
          <pre
            tabIndex={0}
            className="mt-1 max-h-60 overflow-auto whitespace-pre-wrap rounded-lg border border-line bg-panel p-2 font-mono text-xs"
          >
            {escalation.context}
          </pre>
        </details>
      )}
    </>
  );
  const answer = (
    <>
      {canRetry && <CommentInput label={t("escalation.hint")} value={hint} onChange={setHint} />}
      <div data-options className="flex flex-wrap gap-1.5">
        {actions.map((action, index) => (
          <Button
            key={index}
            variant="ask"
            disabled={busy}
            data-option={index + 1}
            onClick={() => void resolve(action)}
          >
            {index < 9 && (
              <kbd aria-hidden className="text-ask">
                {index + 1}
              </kbd>
            )}
            {t(`escalationAction.${action.type}`, { ...action })}
          </Button>
        ))}
      </div>
    </>
  );
  return (
    <div data-escalation={escalation.id} className="contents">
      <ItemFrame details={details} answer={answer} />
      {confirming && escalation.task !== null && (
        <ErrorBoundary
          fallback={() => null}
          onFailed={({ error }) => {
            toast.failed(error);
            setConfirming(null);
          }}
        >
          <Suspense>
            <TaskActionSheet
              run={run}
              task={escalation.task}
              action={confirming.type}
              command={toCommand(confirming)}
              onDone={() => setHint("")}
              onClose={() => setConfirming(null)}
            />
          </Suspense>
        </ErrorBoundary>
      )}
    </div>
  );
}

type FinalAction = Extract<EscalationAction, { type: "skip" | "markFailed" | "waive" }>;

/** Whether an action ends the task, or accepts it without its check. It is confirmed first. */
const isFinalAction = (action: EscalationAction): action is FinalAction =>
  action.type === "skip" || action.type === "markFailed" || action.type === "waive";

function addHintToRetry(action: EscalationAction, hint: string): EscalationAction {
  return action.type === "retry" && hint ? { ...action, hint } : action;
}

/** Whether the context ends with the output of a check, which says what to do. */
function hasCheckOutput({ kind }: EscalationRow) {
  return kind === "test_failure" || kind === "check_not_run";
}
