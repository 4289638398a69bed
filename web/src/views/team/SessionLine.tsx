import {
  CircleCheck,
  CircleHelp,
  CirclePause,
  CircleX,
  LoaderCircle,
  type LucideIcon,
  Play,
  Snowflake,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import type { ProgressRow, QuestionRow, SessionRow, TaskRow } from "~/api/generated";
import { formatTokens } from "~/components/format";
import { useLocalizedText } from "~/components/localizedText";
import { useOpenSession, useOpenTask } from "~/components/navigation";
import { useQuestionSummary } from "~/components/questionSummary";
import { EDGE_COLORS, TEXT_COLORS, type Tone, waitsForPerson } from "~/components/state";
import { TimeAgo } from "~/components/Time";
import { useLastActivity } from "./useLastActivity";

type Props = {
  run: string;
  session: SessionRow;
  task: TaskRow | undefined;
  progress: ProgressRow | undefined;
  /** Its open question, if it has no task. */
  question: QuestionRow | undefined;
};

/** A session: its agent, task, state and usage. */
export function SessionLine({ run, session, task, progress, question }: Props) {
  const { t } = useTranslation();
  const localize = useLocalizedText();
  const openTask = useOpenTask();
  const openSession = useOpenSession();
  // The current session of a task opens the task, any other one opens by itself.
  const isCurrent = task?.session === session.id;
  const isWaiting = isWaitingForPerson(session, task, question);
  const { tone, icon: Icon } = isWaiting ? WAITING_STYLE : sessionStateStyle(session);
  const questionText = useQuestionSummary(run, task)?.text ?? (question && localize(question));
  const states = [isWaiting ? "waitingInput" : null, session.park ?? session.state].filter(
    (state) => state !== null,
  );
  return (
    <button
      type="button"
      data-session={session.id}
      data-tone={tone}
      data-task={session.task}
      onClick={() => (isCurrent ? openTask(task.id) : openSession(session.id))}
      className={`flex w-full flex-wrap items-center gap-x-3 gap-y-0.5 rounded-lg border border-l-[3px] px-3 py-2 text-left hover:border-faint ${isWaiting ? "border-ask-line bg-ask-soft" : "border-line bg-panel"} ${EDGE_COLORS[tone]}`}
    >
      <span className="flex w-44 min-w-0 flex-col leading-tight">
        <b className="truncate font-semibold">{session.agent ?? t("team.jangdan")}</b>
        <span className="truncate text-soft text-xs">
          {t(`role.${session.role}`)} · <code className="font-mono">{session.id}</code>
          {session.model && ` · ${session.model}`}
        </span>
      </span>
      <span className="flex min-w-0 flex-1 basis-56 flex-col leading-tight">
        {task && (
          <span className="truncate">
            <code className="font-mono font-semibold text-soft text-xs">{task.id}</code> {task.title}
          </span>
        )}
        {session.phase !== null && !task && <span>{t("canvas.phase", { n: session.phase })}</span>}
        {isWaiting && questionText ? (
          <span className="truncate font-medium text-ask text-xs">? {questionText}</span>
        ) : (
          progress?.currentTask && <span className="truncate text-soft text-xs">{progress.currentTask}</span>
        )}
      </span>
      <span className="flex w-48 flex-col leading-tight">
        <span className={`flex items-center gap-1 font-medium ${TEXT_COLORS[tone]}`}>
          <Icon aria-hidden size={14} strokeWidth={2.2} />
          {[...new Set(states)].map((state) => t(`sessionState.${state}`)).join(" · ")}
        </span>
        <LastActivity run={run} session={session} />
      </span>
      <SessionUsage session={session} />
    </button>
  );
}

/** The time of the last output of a session, or since when it is in its state. */
function LastActivity({ run, session }: { run: string; session: SessionRow }) {
  const { t } = useTranslation();
  const activeAt = useLastActivity(run, session.id);
  const isNewer = activeAt !== null && activeAt > session.stateSinceAt && session.endedAt === null;
  return (
    <span className="text-soft text-xs">
      {session.agent === null && `${t("team.builtIn")} · `}
      <TimeAgo at={isNewer ? activeAt : session.stateSinceAt} />
    </span>
  );
}

function SessionUsage({ session }: { session: SessionRow }) {
  const { t } = useTranslation();
  const percent = session.contextPermille === null ? null : Math.round(session.contextPermille / 10);
  return (
    <span className="flex w-24 flex-col items-end text-right leading-tight tabular-nums">
      {session.used.tokens > 0 && <span>{t("team.tokens", { n: formatTokens(session.used.tokens) })}</span>}
      {percent !== null && <span className="text-soft text-xs">{t("team.context", { percent })}</span>}
    </span>
  );
}

const WAITING_STYLE = { tone: "ask", icon: CircleHelp } as const;

/** Whether a session waits for a person, even if it was suspended meanwhile. */
function isWaitingForPerson(
  { id, endedAt }: SessionRow,
  task: Props["task"],
  question: Props["question"],
): boolean {
  if (endedAt !== null) return false;
  return question !== undefined || (task?.session === id && waitsForPerson(task));
}

function sessionStateStyle({ state, park, exitStatus }: SessionRow): { tone: Tone; icon: LucideIcon } {
  switch (state) {
    case "starting":
      return { tone: "ready", icon: LoaderCircle };
    case "active":
      return { tone: "run", icon: Play };
    case "waitingInput":
      return { tone: "wait", icon: CircleHelp };
    case "parked":
      return { tone: "wait", icon: park === "hot" ? CirclePause : Snowflake };
    case "ended":
      return exitStatus === null || exitStatus === 0
        ? { tone: "done", icon: CircleCheck }
        : { tone: "wait", icon: CircleX };
    case "lost":
      return { tone: "fail", icon: CircleX };
  }
}
