import { useTranslation } from "react-i18next";
import type { GateRow, InboxAction, UserCommand } from "~/api/generated";
import { Button } from "~/components/Button";
import { CommentInput } from "./CommentInput";
import { useDraft } from "./drafts";
import { GateChanges } from "./GateChanges";
import { GateProof } from "./GateProof";
import { GateVerdict } from "./GateVerdict";
import { ItemFrame } from "./ItemFrame";
import { useSendCommand } from "./useSendCommand";

type Props = { run: string; gate: GateRow; actions: readonly InboxAction[] };

/** The gate of a phase: the results of its checks, and the person's decision. */
export function GateForm({ run, gate, actions }: Props) {
  const { t } = useTranslation();
  const { send, busy } = useSendCommand(run);
  const [reason, setReason] = useDraft(run, "gate", gate.phase);
  const settle = async (command: UserCommand, done: string) => {
    if (await send(command, done)) setReason("");
  };
  const approve = () => settle({ approveGate: { phase: gate.phase } }, t("gate.approved"));
  const reject = () =>
    settle({ rejectGate: { phase: gate.phase, reason: reason.trim(), tasks: [] } }, t("gate.rejected"));
  const details = (
    <>
      <GateProof gate={gate} />
      <GateVerdict gate={gate} />
      <GateChanges run={run} gate={gate} />
      {gate.artefacts.length > 0 && (
        <p className="break-words text-soft text-xs">
          {t("gate.artefacts", { list: gate.artefacts.join(", ") })}
        </p>
      )}
      {gate.documents.length > 0 && (
        <p className="break-words text-soft text-xs">
          {t("gate.documents", { list: gate.documents.join(", ") })}
        </p>
      )}
    </>
  );
  const answer = (
    <>
      <CommentInput label={t("gate.reason")} value={reason} onChange={setReason} />
      <div className="flex flex-wrap gap-1.5">
        {actions.includes("approve") && (
          <Button
            variant="ask"
            className="border-ask"
            disabled={busy}
            data-option={1}
            onClick={() => void approve()}
          >
            <kbd aria-hidden className="text-ask">
              1
            </kbd>
            {t("gate.approve")}
          </Button>
        )}
        {actions.includes("reject") && (
          <Button variant="ask" disabled={busy || reason.trim() === ""} onClick={() => void reject()}>
            {t("gate.reject")}
          </Button>
        )}
      </div>
    </>
  );
  return (
    <div data-gate={gate.phase} className="contents">
      <ItemFrame details={details} answer={answer} />
    </div>
  );
}
