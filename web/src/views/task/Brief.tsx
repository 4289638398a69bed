import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useRows } from "~/api/hooks";
import { Markdown } from "~/components/Markdown";
import { Notice } from "~/components/Notice";
import { QueryFallback } from "~/components/QueryFallback";
import { useFormatDuration } from "~/components/timeFormat";

/** What the plan says about a task: the description, when it is done, its files and its check. */
export default function Brief({ run, task }: { run: string; task: string }) {
  const { t } = useTranslation();
  const formatDuration = useFormatDuration();
  const details = useRows(run, "taskDetail");
  if (!details.data) return <QueryFallback queries={[details]} />;
  const detail = details.data[task];
  if (!detail) return <Notice title={t("brief.empty")} />;
  const reported = Object.entries(detail.reported);
  const isEmpty =
    detail.text.trim() === "" && detail.acceptance.length + detail.touches.length === 0 && !detail.verify;
  return (
    <div className="flex max-w-[700px] flex-col gap-5 px-4 py-4 text-[14px] leading-relaxed md:px-5">
      {isEmpty && <p className="text-soft">{t("brief.titleOnly")}</p>}
      {detail.text.trim() !== "" && <Markdown text={detail.text} />}
      {detail.acceptance.length > 0 && (
        <BriefSection title={t("task.acceptance")}>
          <ul className="list-disc pl-5">
            {detail.acceptance.map((line) => (
              <li key={line}>
                <Markdown text={line} />
              </li>
            ))}
          </ul>
        </BriefSection>
      )}
      {detail.verify && (
        <BriefSection title={t("brief.check")}>
          <code className="break-words font-mono text-xs">{detail.verify}</code>
        </BriefSection>
      )}
      {detail.touches.length > 0 && (
        <BriefSection title={t("brief.touches")}>
          <ul className="font-mono text-xs">
            {detail.touches.map((path) => (
              <li key={path}>{path}</li>
            ))}
          </ul>
        </BriefSection>
      )}
      {detail.external.length > 0 && (
        <BriefSection title={t("brief.external")}>
          <p>{detail.external.join(", ")}</p>
        </BriefSection>
      )}
      {detail.timeoutMs !== null && (
        <BriefSection title={t("brief.timeout")}>
          <p>{formatDuration(detail.timeoutMs)}</p>
        </BriefSection>
      )}
      {reported.length > 0 && (
        <BriefSection title={t("brief.reported")}>
          <dl className="grid grid-cols-[auto_1fr] gap-x-3">
            {reported.map(([key, value]) => (
              <div key={key} className="contents">
                <dt className="text-soft">{key}</dt>
                <dd className="min-w-0 break-words">{value}</dd>
              </div>
            ))}
          </dl>
        </BriefSection>
      )}
    </div>
  );
}

function BriefSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-1 font-semibold">{title}</h3>
      {children}
    </section>
  );
}
