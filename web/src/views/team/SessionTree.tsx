import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useRows } from "~/api/hooks";
import { SessionLine } from "./SessionLine";
import { countEndedSessions, toQuestionsBySession, toTeam } from "./toTeam";

/** The sessions of a run as a tree. */
export function SessionTree({ run }: { run: string }) {
  const { t } = useTranslation();
  const [withEnded, setWithEnded] = useState(false);
  const sessions = useRows(run, "session").data;
  const progress = useRows(run, "progress").data ?? {};
  const tasks = useRows(run, "task").data ?? {};
  const questions = useRows(run, "question").data;
  const questionsBySession = useMemo(() => toQuestionsBySession(questions ?? {}), [questions]);
  const team = useMemo(() => toTeam(sessions ?? {}, withEnded), [sessions, withEnded]);
  const nEnded = countEndedSessions(sessions ?? {});
  return (
    <section className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 className="font-semibold text-[15px]">{t("team.sessions")}</h2>
        {nEnded > 0 && (
          <label className="flex items-center gap-2 text-soft max-md:min-h-11">
            <input
              type="checkbox"
              checked={withEnded}
              onChange={(event) => setWithEnded(event.target.checked)}
            />
            {t("team.ended", { count: nEnded })}
          </label>
        )}
      </div>
      {team.length === 0 ? (
        <p className="text-soft">{t("team.empty")}</p>
      ) : (
        <ul aria-label={t("team.sessions")} className="flex flex-col gap-1.5">
          {team.map((member) => {
            const { id, task } = member.session;
            return (
              <li key={id} style={{ marginLeft: `min(${member.depth * 28}px, ${member.depth * 4}%)` }}>
                <SessionLine
                  run={run}
                  session={member.session}
                  task={task === null ? undefined : tasks[task]}
                  progress={progress[id]}
                  question={task === null ? questionsBySession.get(id) : undefined}
                />
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
