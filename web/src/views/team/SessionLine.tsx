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
import { useAsked } from "~/components/asked";
import { tokens } from "~/components/figures";
import { useInWords } from "~/components/inWords";
import { useOpenSession } from "~/components/open";
import { openedBy, useOpening } from "~/components/opening";
import { EDGE, TEXT, type Tone, waitsForPerson } from "~/components/state";
import { Ago } from "~/components/Time";
import { useLastSeen } from "./useLastSeen";

type Props = {
  run: string;
  session: SessionRow;
  task: TaskRow | undefined;
  progress: ProgressRow | undefined;
  /** What it asks a person, where it has no task. */
  asks: QuestionRow | undefined;
};

/** A session: who it is, how it stands and since when, where that is known from, and what it used. */
export function SessionLine({ run, session, task, progress, asks }: Props) {
  const { t } = useTranslation();
  const inWords = useInWords();
  const opening = useOpening();
  const openSession = useOpenSession();
  // A task shows the session that it has now; any other is shown by itself.
  const opens = task?.session === session.id ? opening(task.id) : openedBy(() => openSession(session.id));
  const isWaiting = waitsForAnswer(session, task, asks);
  const { tone, icon: Icon } = isWaiting ? WAITS : signOf(session);
  const asked = useAsked(run, task)?.words ?? (asks && inWords(asks));
  const words = [isWaiting ? "waitingInput" : null, session.park ?? session.state].filter(
    (word) => word !== null,
  );
  return (
    <button
      type="button"
      data-session={session.id}
      data-tone={tone}
      data-task={session.task}
      {...opens}
      className={`flex w-full flex-wrap items-center gap-x-3 gap-y-0.5 rounded-lg border border-l-[3px] px-3 py-2 text-left hover:border-faint ${isWaiting ? "border-ask-line bg-ask-soft" : "border-line bg-panel"} ${EDGE[tone]}`}
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
        {isWaiting && asked ? (
          <span className="truncate font-medium text-ask text-xs">? {asked}</span>
        ) : (
          progress?.currentTask && <span className="truncate text-soft text-xs">{progress.currentTask}</span>
        )}
      </span>
      <span className="flex w-48 flex-col leading-tight">
        <span className={`flex items-center gap-1 font-medium ${TEXT[tone]}`}>
          <Icon aria-hidden size={14} strokeWidth={2.2} />
          {[...new Set(words)].map((word) => t(`session.${word}`)).join(" · ")}
        </span>
        <Source run={run} session={session} />
      </span>
      <Used session={session} />
    </button>
  );
}

/** Where its state is known from, and how old that is. */
function Source({ run, session }: { run: string; session: SessionRow }) {
  const { t } = useTranslation();
  const seen = useLastSeen(run, session.id);
  const isFresh = seen !== null && seen > session.stateSinceAt && session.endedAt === null;
  return (
    <span className="text-soft text-xs">
      {isFresh ? t("team.fromOutput") : t(session.agent ? "team.fromLog" : "team.fromJangdan")} ·{" "}
      <Ago at={isFresh ? seen : session.stateSinceAt} />
    </span>
  );
}

function Used({ session }: { session: SessionRow }) {
  const { t } = useTranslation();
  const percent = session.contextPermille === null ? null : Math.round(session.contextPermille / 10);
  return (
    <span className="flex w-24 flex-col items-end text-right leading-tight tabular-nums">
      {session.used.tokens > 0 && <span>{t("team.tokens", { n: tokens(session.used.tokens) })}</span>}
      {percent !== null && <span className="text-soft text-xs">{t("team.context", { percent })}</span>}
    </span>
  );
}

const WAITS = { tone: "ask", icon: CircleHelp } as const;

/** Tells whether a session waits for a person, also where it was parked meanwhile. */
function waitsForAnswer({ id, endedAt }: SessionRow, task: Props["task"], asks: Props["asks"]): boolean {
  if (endedAt !== null) return false;
  return asks !== undefined || (task?.session === id && waitsForPerson(task));
}

function signOf({ state, park, exitStatus }: SessionRow): { tone: Tone; icon: LucideIcon } {
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
