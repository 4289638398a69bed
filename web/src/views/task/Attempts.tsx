import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useRow, useRows } from "~/api/hooks";
import { Button } from "~/components/Button";
import { failureText } from "~/components/failureText";
import { Notice } from "~/components/Notice";
import { QueryFallback } from "~/components/QueryFallback";
import TaskActionSheet from "~/components/TaskActionSheet";
import { ClockTime, Duration } from "~/components/Time";

/** The attempts at a task, and the checkpoints that can be restored. */
export default function Attempts({ run, task }: { run: string; task: string }) {
  const { t } = useTranslation();
  const attempts = useRows(run, "attempt");
  const checkpoints = useRows(run, "checkpoint");
  const row = useRow(run, "task", task);
  const [restoring, setRestoring] = useState<{ checkpoint?: string } | null>(null);
  if (!attempts.data || !checkpoints.data) return <QueryFallback queries={[attempts, checkpoints]} />;
  const taskAttempts = Object.values(attempts.data)
    .filter((row) => row.task === task)
    .sort((left, right) => right.number - left.number);
  const taskCheckpoints = Object.values(checkpoints.data)
    .filter((row) => row.task === task && row.state === "made")
    .sort((left, right) => right.requestedAt - left.requestedAt);
  if (taskAttempts.length === 0)
    return <Notice title={t("attempts.empty")}>{t("attempts.emptyHint")}</Notice>;
  const restoreButton = (to: { checkpoint?: string }) =>
    row?.actions.includes("rewind") && (
      <Button onClick={() => setRestoring(to)}>{t("taskAction.rewind.name")}…</Button>
    );
  return (
    <div className="flex flex-col gap-5 p-4">
      <ul className="flex flex-col gap-2">
        {taskAttempts.map((row) => (
          <li key={row.number} className="rounded-lg border border-line px-3 py-2">
            <p className="flex flex-wrap gap-x-3">
              <b>{t("attempts.number", { n: row.number })}</b>
              <span>{t(`attemptState.${row.state}`)}</span>
              <span className="text-soft">
                {row.agent} ·{" "}
                <Link
                  to="/runs/$run/sessions/$session"
                  params={{ run, session: row.session }}
                  search={({ tab: _tab, ...search }) => search}
                  className="font-mono text-accent hover:underline"
                >
                  {row.session}
                </Link>{" "}
                · <ClockTime at={row.startedAt} /> · <Duration from={row.startedAt} to={row.endedAt} />
              </span>
            </p>
            {row.failure && <p className="text-fail">{failureText(row.failure, t)}</p>}
          </li>
        ))}
      </ul>
      <section>
        <h3 className="mb-1.5 font-semibold">{t("attempts.checkpoints")}</h3>
        <ul className="flex flex-col">
          {taskCheckpoints.map((row) => (
            <li key={row.id} className="flex items-center gap-3 border-line border-t py-1.5">
              <code className="font-mono text-soft text-xs">{row.id}</code>
              <span className="min-w-0 flex-1">{t(`checkpointReason.${row.reason}`)}</span>
              <span className="text-soft text-xs">
                <code className="font-mono">{row.commit?.slice(0, 8)}</code> ·{" "}
                <ClockTime at={row.requestedAt} />
              </span>
              {restoreButton({ checkpoint: row.id })}
            </li>
          ))}
          <li className="flex items-center gap-3 border-line border-t py-1.5">
            <span className="flex-1">{t("attempts.start")}</span>
            {restoreButton({})}
          </li>
        </ul>
      </section>
      {restoring && (
        <TaskActionSheet
          run={run}
          task={task}
          action="rewind"
          command={{ rewindTask: { task, ...restoring } }}
          onClose={() => setRestoring(null)}
        />
      )}
    </div>
  );
}
