import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { CleanupReport, KeptRefReason } from "~/api/generated";
import { formatBytes } from "~/components/format";

/** What was deleted, and what was kept and why. */
export function CleanupReportView({ report }: { report: CleanupReport }) {
  const { t } = useTranslation();
  const { removedTasks, removedSessions, refs } = report;
  const kept = [...report.keptTasks, ...report.keptSessions];
  const removed = [...removedTasks, ...removedSessions];
  return (
    <div data-cleanup className="flex flex-col gap-2">
      <p className="font-medium text-ink">{t("runAction.clean.removed", { count: removed.length })}</p>
      {kept.length > 0 && (
        <NameList title={t("runAction.clean.kept")}>
          {kept.map(([name, reason]) => (
            <NameLine key={name} name={name} reason={reason} />
          ))}
        </NameList>
      )}
      {refs && (
        <p className="font-medium text-ink">
          {t("runAction.clean.refsDeleted", { count: refs.deleted.length })}
          {refs.freedBytes > 0 && ` ${t("runAction.clean.freed", { size: formatBytes(refs.freedBytes) })}`}
        </p>
      )}
      {refs && refs.deleted.length > 0 && (
        <NameList title={t("runAction.clean.refsDeletedList")}>
          {refs.deleted.map((name) => (
            <NameLine key={name} name={shortRefName(name)} />
          ))}
        </NameList>
      )}
      {refs && refs.kept.length > 0 && (
        <NameList title={t("runAction.clean.refsKept")}>
          {refs.kept.map(([name, reason]) => (
            <NameLine key={name} name={shortRefName(name)} reason={keptRefText(t, reason)} />
          ))}
        </NameList>
      )}
    </div>
  );
}

function NameList({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="text-soft">{title}</h3>
      <ul tabIndex={0} className="max-h-40 overflow-y-auto text-xs">
        {children}
      </ul>
    </section>
  );
}

function NameLine({ name, reason }: { name: string; reason?: string }) {
  return (
    <li>
      <code className="break-all font-mono text-ink">{name}</code>
      {reason !== undefined && <span className="text-soft"> · {reason}</span>}
    </li>
  );
}

/** Branches by their names, other refs in full. */
const shortRefName = (name: string) => name.replace(/^refs\/heads\//, "");

const DAY_S = 86_400;

function keptRefText(t: TFunction, reason: KeptRefReason): string {
  if (reason.type === "recent") return t("refReason.recent", { count: Math.floor(reason.ageS / DAY_S) });
  // A newer server may have other reasons.
  return t(`refReason.${reason.type}`, { defaultValue: reason.type });
}
