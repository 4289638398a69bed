import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { DamagedRunEntry, RunRow } from "~/api/generated";
import { useDamagedRuns, useFetchOlderRuns, useLoadedRuns } from "~/api/hooks";
import { Button } from "~/components/Button";
import { ErrorLine } from "~/components/ErrorLine";
import { ErrorMessage } from "~/components/ErrorMessage";
import { Loading } from "~/components/Loading";
import { ProgressBar } from "~/components/ProgressBar";
import { RunStateLabel } from "~/components/StateLabel";
import { TimeAgo } from "~/components/Time";
import { FirstOpen } from "./FirstOpen";

export function RunList() {
  const { t } = useTranslation();
  const runs = useLoadedRuns();
  const older = useFetchOlderRuns();
  const damaged = useDamagedRuns();
  switch (runs.status) {
    case "pending":
      return <Loading />;
    case "error":
      return <ErrorMessage error={runs.error} retry={() => void runs.refetch()} />;
    case "success":
      break;
  }
  if (runs.data.length === 0) return damaged.length > 0 ? <DamagedRuns damaged={damaged} /> : <FirstOpen />;
  return (
    <>
      <DamagedRuns damaged={damaged} />
      <ul className="flex flex-col gap-2">
        {runs.data.map((run) => (
          <li key={run.id}>
            <RunCard run={run} />
          </li>
        ))}
      </ul>
      {older && (
        <div className="flex flex-col items-center gap-2 pt-3">
          {older.error && <ErrorLine error={older.error} />}
          <Button disabled={older.isPending} aria-busy={older.isPending} onClick={older.fetch}>
            {older.isPending ? t("action.working") : t("runs.older")}
          </Button>
        </div>
      )}
    </>
  );
}

/** Runs that cannot be continued or read, each with its cause and what to do. */
function DamagedRuns({ damaged }: { damaged: DamagedRunEntry[] }) {
  const { t } = useTranslation();
  if (damaged.length === 0) return null;
  return (
    <section aria-label={t("runs.damaged")} className="mb-3 flex flex-col gap-2">
      <h2 className="font-semibold text-fail">{t("runs.damaged")}</h2>
      {damaged.map(({ run, cause, remedy }) => (
        <div
          key={run}
          className="flex flex-col gap-1 rounded-xl border border-fail bg-panel px-3.5 py-3 text-sm"
        >
          <p>
            <code className="font-mono">{run}</code> · {cause}
          </p>
          <p className="text-soft">{remedy}</p>
        </div>
      ))}
    </section>
  );
}

function RunCard({ run }: { run: RunRow }) {
  const { t } = useTranslation();
  return (
    <Link
      to="/runs/$run"
      params={{ run: run.id }}
      className="flex flex-col gap-2 rounded-xl border border-line bg-panel px-3.5 py-3 transition-colors hover:border-faint"
    >
      <span className="flex items-baseline justify-between gap-3">
        <b className="min-w-0 truncate font-semibold">{run.title}</b>
        <RunStateLabel run={run} />
      </span>
      <ProgressBar run={run} />
      <span className="flex flex-wrap gap-x-2 text-soft text-xs">
        <span>{run.project}</span>·<code className="font-mono">{run.id}</code>·<TimeAgo at={run.startedAt} />
        {run.waitsFor.person > 0 && (
          <b className="text-ask">· {t("run.needsYou", { count: run.waitsFor.person })}</b>
        )}
      </span>
    </Link>
  );
}
