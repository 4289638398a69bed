import { useTranslation } from "react-i18next";
import type { TestFailure } from "~/api/generated";

/** Failed tests: their names, places, messages, and what was expected. */
export function TestFailures({ failures, nUnlisted = 0 }: { failures: TestFailure[]; nUnlisted?: number }) {
  const { t } = useTranslation();
  return (
    <>
      {failures.map((failure) => (
        <div
          key={`${failure.name} ${failure.file} ${failure.line}`}
          className="mt-1 border-fail border-l-2 pl-2.5"
        >
          <b className="break-words">{failure.name}</b>
          {failure.file && (
            <code className="ml-2 break-all font-mono text-soft text-xs">
              {failure.line ? `${failure.file}:${failure.line}` : failure.file}
            </code>
          )}
          {failure.message && (
            <pre className="overflow-x-auto whitespace-pre-wrap font-mono text-xs">{failure.message}</pre>
          )}
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
      {nUnlisted > 0 && (
        <p className="mt-1 text-soft text-xs">{t("checks.unlistedFailures", { n: nUnlisted })}</p>
      )}
    </>
  );
}
