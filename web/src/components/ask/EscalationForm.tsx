import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Command, EscalationAction, EscalationRow } from "~/api/generated";
import { Boundary } from "~/components/Boundary";
import { Button } from "~/components/Button";
import { lazily } from "~/components/lazily";
import { Markdown } from "~/components/Markdown";
import { toast } from "~/components/toasts";
import { useDraft } from "./drafts";
import { SayLine } from "./SayLine";
import { useAct } from "./useAct";

// It brings dialogs along, which what waits can be shown without.
const TaskSheet = lazily(() => import("~/components/TaskSheet"));

/** What can be done about a problem where nobody suggests anything. */
const ANY: EscalationAction[] = [{ type: "retry" }, { type: "skip" }, { type: "dismiss" }];

/** A problem that came up to the person, with what can be done about it. */
export function EscalationForm({ run, escalation }: { run: string; escalation: EscalationRow }) {
  const { t } = useTranslation();
  const { act, busy } = useAct(run);
  const [hint, setHint] = useDraft(run, "escalation", escalation.id);
  const actions = escalation.suggested.length > 0 ? escalation.suggested : ANY;
  const canRetry = actions.some((action) => action.type === "retry");
  const [asked, setAsked] = useState<Final | null>(null);
  const how = (action: EscalationAction): Command => ({
    resolve: { escalation: escalation.id, action: withHint(action, hint.trim()) },
  });
  const resolve = async (action: EscalationAction) => {
    if (escalation.task !== null && isFinal(action)) setAsked(action);
    else if (await act(how(action), t("escalation.resolved"))) setHint("");
  };
  return (
    <div data-escalation={escalation.id} className="flex flex-col gap-2">
      <p className="font-medium text-ask text-xs">{t(`escalation.kind.${escalation.kind}`)}</p>
      {escalation.description && <Markdown text={escalation.description} />}
      {escalation.context && (
        <details>
          <summary className="cursor-pointer text-soft text-xs">{t("escalation.context")}</summary>
          <pre className="mt-1 max-h-60 overflow-auto whitespace-pre-wrap rounded-lg border border-line bg-panel p-2 font-mono text-xs">
            {escalation.context}
          </pre>
        </details>
      )}
      {canRetry && <SayLine label={t("escalation.hint")} value={hint} onChange={setHint} />}
      <div className="flex flex-wrap gap-1.5">
        {actions.map((action, index) => (
          <Button
            key={index}
            look="ask"
            disabled={busy}
            data-option={index + 1}
            onClick={() => void resolve(action)}
          >
            {index < 9 && (
              <kbd aria-hidden className="text-ask">
                {index + 1}
              </kbd>
            )}
            {t(`actionType.${action.type}`, { ...action })}
          </Button>
        ))}
      </div>
      {asked && escalation.task !== null && (
        <Boundary
          instead={() => null}
          onFailed={({ error }) => {
            toast.failed(error);
            setAsked(null);
          }}
        >
          <Suspense>
            <TaskSheet
              run={run}
              task={escalation.task}
              act={asked.type}
              what={how(asked)}
              onDone={() => setHint("")}
              onClose={() => setAsked(null)}
            />
          </Suspense>
        </Boundary>
      )}
    </div>
  );
}

type Final = Extract<EscalationAction, { type: "skip" | "markFailed" }>;

/** Tells whether an action ends the task. Whoever takes it is asked once more. */
const isFinal = (action: EscalationAction): action is Final =>
  action.type === "skip" || action.type === "markFailed";

function withHint(action: EscalationAction, hint: string): EscalationAction {
  return action.type === "retry" && hint ? { ...action, hint } : action;
}
