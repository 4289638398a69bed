import { useTranslation } from "react-i18next";
import type { LoopRow } from "~/api/generated";
import { useRows } from "~/api/hooks";
import { Notice } from "~/components/Notice";
import { QueryFallback } from "~/components/QueryFallback";
import { ReceiptDetails } from "~/components/ReceiptDetails";
import { TestFailures } from "~/components/TestFailures";
import { ClockTime } from "~/components/Time";

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
        <ReceiptDetails
          key={`${row.sequence}/${row.index}`}
          receipt={row.receipt}
          passed={row.passed}
          purpose={t(`checkPurpose.${row.purpose}`)}
        />
      ))}
      {rounds.map((row) => (
        <FeedbackLoopCard key={row.id} row={row} />
      ))}
    </div>
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
          <TestFailures failures={round.feedback.failures ?? []} nUnlisted={round.feedback.nUnlisted ?? 0} />
          {round.feedback.text && <p className="mt-1 whitespace-pre-wrap">{round.feedback.text}</p>}
        </div>
      ))}
    </section>
  );
}
