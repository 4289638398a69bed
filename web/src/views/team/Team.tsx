import { Users } from "lucide-react";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useRows } from "~/api/hooks";
import { ErrorMessage } from "~/components/ErrorMessage";
import { Loading } from "~/components/Loading";
import { Notice } from "~/components/Notice";
import { SessionLine } from "./SessionLine";
import { countEndedSessions, toQuestionsBySession, toTeam } from "./toTeam";

/** The sessions of a run as a tree. */
export default function Team({ run }: { run: string }) {
  const { t } = useTranslation();
  const [withEnded, setWithEnded] = useState(false);
  const sessions = useRows(run, "session");
  const progress = useRows(run, "progress").data ?? {};
  const tasks = useRows(run, "task").data ?? {};
  const questions = useRows(run, "question").data;
  const questionsBySession = useMemo(() => toQuestionsBySession(questions ?? {}), [questions]);
  const team = useMemo(() => toTeam(sessions.data ?? {}, withEnded), [sessions.data, withEnded]);
  if (sessions.status === "error")
    return <ErrorMessage error={sessions.error} retry={() => void sessions.refetch()} />;
  if (!sessions.data) return <Loading />;
  const nEnded = countEndedSessions(sessions.data);
  return (
    <div className="mx-auto flex max-w-5xl flex-col gap-2 p-4">
      {nEnded > 0 && (
        <label className="flex items-center gap-2 self-end text-soft">
          <input
            type="checkbox"
            checked={withEnded}
            onChange={(event) => setWithEnded(event.target.checked)}
          />
          {t("team.ended", { count: nEnded })}
        </label>
      )}
      {team.length === 0 ? (
        <Notice title={t("team.empty")} icon={<Users aria-hidden size={22} />} />
      ) : (
        <ul aria-label={t("place.team")} className="flex flex-col gap-1.5">
          {team.map((member) => {
            const { id, task } = member.session;
            return (
              <li key={id} style={{ marginLeft: member.depth * 28 }}>
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
    </div>
  );
}
