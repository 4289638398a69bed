import { Combine, FileDown } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { RunRow } from "~/api/generated";
import { type UserAction, useActionStarter } from "~/components/action";
import { Button } from "~/components/Button";
import { AgentsNow } from "./AgentsNow";
import { KeyFigures } from "./KeyFigures";
import { PhaseSteps } from "./PhaseSteps";
import { RecentEvents } from "./RecentEvents";
import { StateSentence } from "./StateSentence";
import { TasksToCheck } from "./TasksToCheck";

type Props = {
  row: RunRow;
  /** Merges the results, if that is possible. */
  merge: UserAction | undefined;
};

/** How a run is doing; when it has ended, what it has made and what to look at before merging. */
export function Overview({ row, merge }: Props) {
  const hasEnded = row.endedAt !== null;
  return (
    <div className="@container mx-auto flex max-w-6xl flex-col gap-5 p-4 md:p-6">
      <div className="flex flex-wrap items-start gap-x-6 gap-y-3">
        <StateSentence row={row} />
        {hasEnded && row.tasks.done > 0 && merge && <MergeButton merge={merge} />}
        <ReportLink run={row.id} />
      </div>
      <KeyFigures row={row} />
      <PhaseSteps row={row} />
      <div className="grid items-start gap-4 @4xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <TasksToCheck row={row} />
          {!hasEnded && <AgentsNow run={row.id} />}
        </div>
        <RecentEvents run={row.id} />
      </div>
    </div>
  );
}

/** Saves the report of the run as one HTML file. */
function ReportLink({ run }: { run: string }) {
  const { t, i18n } = useTranslation();
  const query = `as=html&locale=${i18n.language === "ko" ? "ko" : "en"}`;
  return (
    <a
      className="inline-flex items-center gap-1.5 py-1.5 text-soft text-sm underline"
      href={`/api/runs/${encodeURIComponent(run)}/report?${query}`}
      download={`${run}.html`}
    >
      <FileDown aria-hidden size={15} />
      {t("overview.report")}
    </a>
  );
}

function MergeButton({ merge }: { merge: UserAction }) {
  const { t } = useTranslation();
  const { start, sheet } = useActionStarter();
  return (
    <>
      <Button variant="approve" icon={<Combine aria-hidden size={15} />} onClick={() => start(merge)}>
        {t("overview.merge")}
      </Button>
      {sheet}
    </>
  );
}
