import { useTranslation } from "react-i18next";
import type { LeftOutFiles, Receipt } from "~/api/generated";
import { formatBytes } from "~/components/format";
import { TestFailures } from "~/components/TestFailures";
import { ClockTime, Duration } from "~/components/Time";

type Props = { receipt: Receipt; passed: boolean; purpose?: string };

/** A check that ran: its command, outcome and duration, and on request the end of its output and what it ran on. */
export function ReceiptDetails({ receipt, passed, purpose }: Props) {
  const { t } = useTranslation();
  return (
    <details open={!passed} className="rounded-lg border border-line bg-panel">
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 px-3 py-2">
        <b className={passed ? "text-done" : "text-fail"}>
          <span aria-hidden>{passed ? "✓" : "✕"}</span>{" "}
          {purpose ?? t(passed ? "checks.passed" : "checks.failed")}
        </b>
        <code className="min-w-0 flex-1 basis-40 truncate font-mono text-xs" title={receipt.command}>
          {receipt.command}
        </code>
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
        {receipt.tests && (
          <div className="mb-2 text-sm">
            <p className="text-soft text-xs">{t("checks.counts", { ...receipt.tests.counts })}</p>
            <TestFailures failures={receipt.tests.failures ?? []} nUnlisted={receipt.tests.nUnlisted ?? 0} />
          </div>
        )}
        {receipt.outputTail ? (
          <pre tabIndex={0} className="mb-2 max-h-80 overflow-auto whitespace-pre-wrap font-mono text-xs">
            {receipt.outputTail}
          </pre>
        ) : (
          <p className="mb-2 text-soft text-xs">{t("checks.noOutput")}</p>
        )}
        {receipt.leftOut && <LeftOutFileList files={receipt.leftOut} />}
        <p className="break-all text-faint text-xs">
          {t("checks.tree")} <code className="font-mono">{receipt.tree.slice(0, 12)}</code> ·{" "}
          {t("checks.hash")} <code className="font-mono">{receipt.outputHash.slice(0, 16)}</code>
        </p>
      </div>
    </details>
  );
}

/** The files that are not part of the checked work. */
function LeftOutFileList({ files }: { files: LeftOutFiles }) {
  const { t } = useTranslation();
  const large = files.large.map((file) => `${file.path} (${formatBytes(file.bytes)})`);
  const rows: [string, string[]][] = [
    [t("checks.leftOut"), large],
    [t("checks.changedByCheck"), files.changedByCheck],
  ];
  return (
    <dl className="mb-2 break-all text-xs">
      {rows.map(
        ([name, paths]) =>
          paths.length > 0 && (
            <div key={name}>
              <dt className="inline text-soft">{name}: </dt>
              <dd className="inline font-mono">{paths.join(", ")}</dd>
            </div>
          ),
      )}
      {files.nUnlisted > 0 && (
        <dd className="text-soft">{t("checks.unlistedFiles", { n: files.nUnlisted })}</dd>
      )}
    </dl>
  );
}
