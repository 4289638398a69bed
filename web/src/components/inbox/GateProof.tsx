import { useTranslation } from "react-i18next";
import type { GateRow } from "~/api/generated";
import { Markdown } from "~/components/Markdown";
import { ReceiptDetails } from "~/components/ReceiptDetails";
import { toProofCounts } from "./toProofCounts";

const PROOFS = ["checked", "unchecked", "waived"] as const;

/** What proves a phase: the checks of its gate, and how many of its tasks were checked. */
export function GateProof({ gate }: { gate: GateRow }) {
  const { t } = useTranslation();
  const report = gate.rounds.at(-1)?.report;
  const counts = toProofCounts(gate.tasks);
  const known = PROOFS.filter((proof) => counts[proof] > 0);
  const hasResults = report != null && report.receipts.length + report.missing.length > 0;
  return (
    <>
      {report?.passed && !hasResults && <p>{t("gate.noCheck")}</p>}
      {/* Otherwise the summary says in words what follows. */}
      {report && !report.passed && !hasResults && <Markdown text={report.summary} />}
      {report?.receipts.map((receipt, index) => (
        <ReceiptDetails
          key={index}
          receipt={receipt}
          passed={receipt.exitStatus === 0 && receipt.obstacle === undefined}
        />
      ))}
      {report && report.missing.length > 0 && (
        <p className="text-fail">{t("gate.missing", { list: report.missing.join(", ") })}</p>
      )}
      {known.length > 0 && (
        <p data-proofs className="text-soft text-xs">
          {t("gate.doneTasks", {
            list: known.map((proof) => t(`gate.proof.${proof}`, { count: counts[proof] })).join(" · "),
          })}
        </p>
      )}
    </>
  );
}
