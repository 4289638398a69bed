import { useTranslation } from "react-i18next";
import type { GateRow } from "~/api/generated";

/** What the verifier said about the phase in the current round. */
export function GateVerdict({ gate }: { gate: GateRow }) {
  const { t } = useTranslation();
  const verdict = gate.rounds.at(-1)?.verdict;
  if (!verdict) return null;
  return (
    <section data-verdict={verdict.accepted ? "accepted" : "rejected"} className="break-words text-xs">
      <p>
        <b>{t(verdict.accepted ? "gate.verifierAccepted" : "gate.verifierRejected")}</b> {verdict.summary}
      </p>
      {verdict.findings.length > 0 && (
        <ul className="list-disc pl-4 text-soft">
          {verdict.findings.map((finding) => (
            <li key={`${finding.task ?? ""} ${finding.file ?? ""} ${finding.text}`}>
              {[finding.task, finding.text, finding.file].filter(Boolean).join(" · ")}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
