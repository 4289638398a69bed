import { useTranslation } from "react-i18next";
import type { Command, GateRow } from "~/api/generated";
import { Button } from "~/components/Button";
import { Markdown } from "~/components/Markdown";
import { useDraft } from "./drafts";
import { SayLine } from "./SayLine";
import { useAct } from "./useAct";

/** The gate of a phase: what was found, and the word of a person. */
export function GateForm({ run, gate }: { run: string; gate: GateRow }) {
  const { t } = useTranslation();
  const { act, busy } = useAct(run);
  const [reason, setReason] = useDraft(run, "gate", gate.phase);
  const report = gate.rounds.at(-1)?.report;
  const settle = async (what: Command, done: string) => {
    if (await act(what, done)) setReason("");
  };
  const approve = () => settle({ approveGate: { phase: gate.phase } }, t("gate.approved"));
  const reject = () =>
    settle({ rejectGate: { phase: gate.phase, reason: reason.trim(), tasks: [] } }, t("gate.rejected"));
  return (
    <div data-gate={gate.phase} className="flex flex-col gap-2">
      {report?.summary && <Markdown text={report.summary} />}
      {report && report.receipts.length > 0 && (
        <ul className="text-soft text-xs">
          {report.receipts.map((receipt, index) => (
            <li key={index} className="flex gap-2">
              <b className={receipt.exitStatus === 0 ? "text-done" : "text-fail"}>
                {receipt.exitStatus === 0 ? "✓" : "✕"}
              </b>
              <code className="min-w-0 truncate font-mono">{receipt.command}</code>
            </li>
          ))}
        </ul>
      )}
      {gate.artefacts.length > 0 && (
        <p className="text-soft text-xs">{t("gate.artefacts", { list: gate.artefacts.join(", ") })}</p>
      )}
      <SayLine label={t("gate.reason")} value={reason} onChange={setReason} />
      <div className="flex flex-wrap gap-1.5">
        <Button
          look="ask"
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
        <Button look="ask" disabled={busy || reason.trim() === ""} onClick={() => void reject()}>
          {t("gate.reject")}
        </Button>
      </div>
    </div>
  );
}
