import { useTranslation } from "react-i18next";
import { landMessage } from "./landMessage";
import type { LandOutcome } from "./toLandOutcome";

/** Further files are left out. */
const FILES_MAX = 12;

/** What merging a run would do, or why it could not be done and what to do. */
export function LandOutcomeView({ outcome }: { outcome: LandOutcome }) {
  const { t } = useTranslation();
  const { files, check, output, obstacle, isUnchecked, manualMerge } = outcome;
  const more = files.length - FILES_MAX;
  return (
    <div data-outcome={outcome.key} className="flex flex-col gap-2">
      <p className={outcome.key === "planned" ? "font-medium text-ink" : "font-medium text-ask"}>
        {landMessage(t, outcome)}
      </p>
      {files.length > 0 && (
        <ul className="text-soft text-xs">
          {files.slice(0, FILES_MAX).map((file) => (
            <li key={file}>
              <code className="break-all font-mono">{file}</code>
            </li>
          ))}
          {more > 0 && <li>{t("gate.more", { count: more })}</li>}
        </ul>
      )}
      {outcome.key === "planned" && (
        <p className="text-soft text-xs">
          {check !== null && t("mergeResult.withCheck", { command: check })}
          {isUnchecked && t("mergeResult.unchecked")}
          {outcome.values["kind"] === "fastForward" && t("mergeResult.noNewCommits", outcome.values)}
        </p>
      )}
      {outcome.key !== "planned" && check !== null && (
        <p>
          {t("mergeResult.check")} <code className="break-all font-mono text-xs">{check}</code>
        </p>
      )}
      {obstacle && <p className="text-soft">{t(`checks.obstacle.${obstacle.type}`, { ...obstacle })}</p>}
      {output !== "" && <CodeBlock text={output} />}
      {manualMerge && (
        <>
          <p className="text-soft">{t("mergeResult.byHand")}</p>
          <CodeBlock text={manualMerge.start.join("\n")} />
          <p className="text-soft">
            {outcome.key === "conflicted" ? t("mergeResult.resolve") : t("mergeResult.pass")}
          </p>
          <CodeBlock text={manualMerge.finish.join("\n")} />
        </>
      )}
    </div>
  );
}

function CodeBlock({ text }: { text: string }) {
  return (
    <pre
      tabIndex={0}
      className="max-h-48 overflow-auto whitespace-pre-wrap break-words rounded-lg border border-line bg-page px-2.5 py-1.5 font-mono text-ink text-xs"
    >
      {text}
    </pre>
  );
}
