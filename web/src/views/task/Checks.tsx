import { useTranslation } from "react-i18next";
import type { LoopRow, ReceiptRow } from "~/api/generated";
import { useRows } from "~/api/hooks";
import { Notice } from "~/components/Notice";
import { QueryFallback } from "~/components/QueryFallback";
import { ClockTime, Duration } from "~/components/Time";

/** The check results of a task, and the findings of its tester. */
export default function Checks({ run, task }: { run: string; task: string }) {
  const { t } = useTranslation();
  const receipts = useRows(run, "receipt");
  const loops = useRows(run, "feedbackLoop");
  if (!receipts.data || !loops.data) return <QueryFallback queries={[receipts, loops]} />;
  const own = Object.values(receipts.data)
    .filter((row) => row.task === task)
    .sort((left, right) => right.sequence - left.sequence);
  const rounds = Object.values(loops.data).filter((row) => row.task === task);
  if (own.length + rounds.length === 0) {
    return <Notice title={t("checks.empty")}>{t("checks.emptyHint")}</Notice>;
  }
  return (
    <div className="flex flex-col gap-3 p-4">
      {own.map((row) => (
        <ReceiptCard key={`${row.sequence}/${row.index}`} row={row} />
      ))}
      {rounds.map((row) => (
        <FeedbackLoopCard key={row.id} row={row} />
      ))}
    </div>
  );
}

function ReceiptCard({ row }: { row: ReceiptRow }) {
  const { t } = useTranslation();
  const { receipt } = row;
  return (
    <details open={!row.passed} className="rounded-lg border border-line">
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 px-3 py-2">
        <b className={row.passed ? "text-done" : "text-fail"}>
          {row.passed ? "✓" : "✕"} {t(`checkPurpose.${row.purpose}`)}
        </b>
        <code className="min-w-0 flex-1 truncate font-mono text-xs">{receipt.command}</code>
        <span className="text-soft text-xs">
          {t("checks.exit", { status: receipt.exitStatus ?? "–" })} ·{" "}
          {receipt.attempts > 1 && `${t("checks.attempts", { n: receipt.attempts })} · `}
          <Duration from={receipt.startedAt} to={receipt.finishedAt} /> ·{" "}
          <ClockTime at={receipt.finishedAt} />
        </span>
      </summary>
      <div className="border-line border-t px-3 py-2">
        {receipt.obstacle && (
          <p className="mb-2 text-sm">
            {t(`checks.obstacle.${receipt.obstacle.type}`, { ...receipt.obstacle })}
          </p>
        )}
        {receipt.outputTail && (
          <pre tabIndex={0} className="mb-2 max-h-80 overflow-auto whitespace-pre-wrap font-mono text-xs">
            {receipt.outputTail}
          </pre>
        )}
        <p className="text-faint text-xs">
          {t("checks.tree")} <code className="font-mono">{receipt.tree.slice(0, 12)}</code> ·{" "}
          {t("checks.hash")} <code className="font-mono">{receipt.outputHash.slice(0, 16)}</code>
        </p>
      </div>
    </details>
  );
}

function FeedbackLoopCard({ row }: { row: LoopRow }) {
  const { t } = useTranslation();
  return (
    <section className="rounded-lg border border-line px-3 py-2">
      <h3 className="font-semibold">
        {t("checks.tester", { tester: row.tester ?? "–" })} · {t(`loopState.${row.status}`)}
      </h3>
      {row.rounds.map((round) => (
        <div key={round.round} className="mt-2">
          <p className="text-soft text-xs">
            {t("checks.round", { n: round.round })} · <ClockTime at={round.failedAt} />
          </p>
          {(round.feedback.failures ?? []).map((failure) => (
            <div key={failure.name} className="mt-1 border-fail border-l-2 pl-2.5">
              <b>{failure.name}</b>
              {failure.expected && (
                <p className="text-soft">
                  {t("checks.expected")} <code className="font-mono">{failure.expected}</code>
                </p>
              )}
              {failure.actual && (
                <p className="text-soft">
                  {t("checks.actual")} <code className="font-mono">{failure.actual}</code>
                </p>
              )}
              {failure.suggestedFix && <p>{failure.suggestedFix}</p>}
              {failure.trace && (
                <pre className="overflow-x-auto whitespace-pre-wrap font-mono text-soft text-xs">
                  {failure.trace}
                </pre>
              )}
            </div>
          ))}
        </div>
      ))}
    </section>
  );
}
