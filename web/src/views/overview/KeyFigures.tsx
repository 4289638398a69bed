import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { RunRow } from "~/api/generated";
import { useInbox, useRows } from "~/api/hooks";
import { useSchedule } from "~/api/layout";
import { ProgressBar } from "~/components/ProgressBar";
import { Duration } from "~/components/Time";
import { useFormatTimeOfDay } from "~/components/timeFormat";
import { usedCostText, usedTokensText } from "~/components/usage";

/** The numbers of a run: progress, proof, time and usage. */
export function KeyFigures({ row }: { row: RunRow }) {
  const { t } = useTranslation();
  return (
    <div className="grid gap-3 @md:grid-cols-2 @4xl:grid-cols-4">
      <FigureCard
        name={t("overview.progress")}
        value={t("overview.doneOf", { done: row.tasks.done, count: row.nTasks })}
      >
        <ProgressBar run={row} isBare />
        <TaskCountsLine row={row} />
      </FigureCard>
      <ProofCard row={row} />
      <FigureCard name={t("run.elapsed")} value={<Duration from={row.startedAt} to={row.endedAt} />}>
        <EndTime row={row} />
      </FigureCard>
      <FigureCard name={t("task.cost")} value={usedCostText(t, row.used)}>
        {row.used.tokens > 0 && <p>{t("team.tokens", { n: usedTokensText(t, row.used) })}</p>}
      </FigureCard>
    </div>
  );
}

function FigureCard({ name, value, children }: { name: string; value: ReactNode; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-1.5 rounded-xl border border-line bg-panel px-4 py-3">
      <h3 className="font-semibold text-soft text-xs">{name}</h3>
      <p className="font-semibold text-[18px] leading-tight tabular-nums">{value}</p>
      <div className="flex flex-col gap-1 text-soft text-sm">{children}</div>
    </section>
  );
}

/** The numbers of tasks that are neither done nor waiting for others. */
function TaskCountsLine({ row: { tasks, waitsFor } }: { row: RunRow }) {
  const { t } = useTranslation();
  const needsYou = Math.min(tasks.blocked, waitsFor.person);
  const counts: [key: string, count: number][] = [
    ["running", tasks.running + tasks.checking + tasks.merging],
    ["needsYou", needsYou],
    ["blocked", tasks.blocked - needsYou],
    ["failed", tasks.failed],
    ["skipped", tasks.skipped + tasks.cancelled],
    ["waiting", tasks.waiting + tasks.ready],
  ];
  const shown = counts.filter(([, count]) => count > 0);
  if (shown.length === 0) return null;
  return <p>{shown.map(([key, count]) => t(`overview.count.${key}`, { count })).join(" · ")}</p>;
}

/** How many of the done tasks have a passed check. */
function ProofCard({ row }: { row: RunRow }) {
  const { t } = useTranslation();
  const tasks = Object.values(useRows(row.id, "task").data ?? {});
  const done = tasks.filter(({ state }) => state === "done");
  const nChecked = done.filter(({ proof }) => proof === "checked").length;
  const nUnchecked = done.filter(({ proof }) => proof === "unchecked").length;
  const nWaived = done.filter(({ proof }) => proof === "waived").length;
  return (
    <FigureCard
      name={t("taskTab.checks")}
      value={done.length === 0 ? "–" : t("overview.provedOf", { n: nChecked, count: done.length })}
    >
      {done.length === 0 && <p>{t("overview.noneDone")}</p>}
      {nUnchecked > 0 && <p>{t("overview.unchecked", { count: nUnchecked })}</p>}
      {nWaived > 0 && <p>{t("gate.proof.waived", { count: nWaived })}</p>}
      {done.length > 0 && nUnchecked + nWaived === 0 && <p>{t("overview.allProved")}</p>}
    </FigureCard>
  );
}

/** When the run ended or is predicted to end, and on what the prediction depends. */
function EndTime({ row }: { row: RunRow }) {
  const { t } = useTranslation();
  const formatTime = useFormatTimeOfDay();
  const hasEnded = row.endedAt !== null;
  const schedule = useSchedule(row.id, hasEnded).data;
  const n = useInbox(row.id).data?.length ?? 0;
  if (row.endedAt !== null) return <p>{t("overview.endedAt", { time: formatTime(row.endedAt) })}</p>;
  if (!schedule) return null;
  if (schedule.nStuck > 0) return <p>{t("schedule.stuck", { count: schedule.nStuck })}</p>;
  if (schedule.endAt === null) return <p>{t("overview.noPrediction")}</p>;
  const time = formatTime(schedule.endAt);
  return (
    <>
      <p>{t(n > 0 ? "overview.endsIfYouAnswer" : "overview.ends", { time })}</p>
      {schedule.nGuessed > 0 && <p>{t("schedule.guessed", { count: schedule.nGuessed })}</p>}
    </>
  );
}
