import { useTranslation } from "react-i18next";
import type { RunRow } from "~/api/generated";

type Props = {
  run: Pick<RunRow, "tasks" | "nTasks" | "waitsFor">;
  /** Leaves out the numbers above the bar. */
  isBare?: boolean;
};

/** The share of a run's tasks that are done, in progress, waiting for a person, blocked or skipped, and failed. */
export function ProgressBar({ run, isBare = false }: Props) {
  const { t } = useTranslation();
  const { tasks, nTasks } = run;
  const { done, skipped } = tasks;
  // Only tasks that wait for a person are amber.
  const needsAnswer = Math.min(tasks.blocked, run.waitsFor.person);
  const inProgress = tasks.running + tasks.checking + tasks.merging;
  const width = (n: number) => `${nTasks === 0 ? 0 : (100 * n) / nTasks}%`;
  const label = t("run.done", { done, count: nTasks });
  return (
    <div className="flex min-w-36 flex-col gap-1">
      {!isBare && <span className="text-soft text-xs tabular-nums">{label}</span>}
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={nTasks}
        aria-valuenow={done}
        className="flex h-1.5 overflow-hidden rounded-full bg-line"
      >
        <i className="bg-done" style={{ width: width(done) }} />
        <i className="bg-run" style={{ width: width(inProgress) }} />
        <i className="bg-ask-fill" style={{ width: width(needsAnswer) }} />
        <i className="bg-wait" style={{ width: width(tasks.blocked - needsAnswer + skipped) }} />
        <i className="bg-fail" style={{ width: width(tasks.failed) }} />
      </div>
    </div>
  );
}
