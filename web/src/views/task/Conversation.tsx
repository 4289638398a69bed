import { useMemo, useRef, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import type { Table } from "~/api/cache";
import { running } from "~/api/client";
import type { TurnRow } from "~/api/generated";
import { useRows, useTurns } from "~/api/hooks";
import type { RunningTurn } from "~/api/running";
import { useInWords } from "~/components/inWords";
import { Loading } from "~/components/Loading";
import { Markdown } from "~/components/Markdown";
import { Problem } from "~/components/Problem";
import { Said } from "~/components/Said";
import { Clock } from "~/components/Time";
import { useEnd } from "~/components/useEnd";
import { Tools } from "./Tools";
import { type TurnPart, toParts, toRunningParts, toSize } from "./toParts";
import { toSpeaker } from "./toSpeaker";

/** Every turn of both sides, in order, growing while the agent works. */
export function Conversation({ run, task }: { run: string; task: string }) {
  const { t } = useTranslation();
  const turns = useTurns(run, task);
  const list = useRef<HTMLOListElement>(null);
  const shown = useMemo(() => toTurns(turns.data ?? {}), [turns.data]);
  const questions = useRows(run, "question").data;
  const going = useGoing(run, task, shown);
  const count = shown.length;
  const size = going.reduce((sum, { parts }) => sum + toSize(parts), 0);
  useEnd(() => list.current?.closest<HTMLElement>("[role=tabpanel]"), count + size);
  if (turns.status === "pending") return <Loading />;
  if (turns.status === "error") return <Problem error={turns.error} retry={() => void turns.refetch()} />;
  if (count + going.length === 0)
    return <Said title={t("conversation.empty")}>{t("conversation.emptyHint")}</Said>;
  return (
    <ol ref={list} className="flex flex-col gap-4 px-4 py-4 md:px-5">
      {shown.map((turn) => (
        <Turn key={turn.index} turn={turn} person={toSpeaker(turn, questions?.[turn.question ?? ""])} />
      ))}
      {going.map((turn) => (
        <GoingTurn key={turn.session} {...turn} />
      ))}
    </ol>
  );
}

/** The turns of one task, in order. */
export function toTurns(rows: Table<"turn">): TurnRow[] {
  return Object.values(rows).sort((left, right) => left.index - right.index);
}

type Marked = "question" | "answer" | "askBack" | "notice";

/** How turns look that are more than words. */
const MARKS: Record<Marked, { edge: string; text: string }> = {
  question: { edge: "border-ask-fill", text: "text-ask" },
  answer: { edge: "border-done", text: "text-done" },
  askBack: { edge: "border-ask-fill", text: "text-ask" },
  notice: { edge: "border-fail", text: "text-fail" },
};

function isMarked(turn: TurnRow): turn is TurnRow & { kind: Marked } {
  return Object.hasOwn(MARKS, turn.kind);
}

function Turn({ turn: row, person }: { turn: TurnRow; person: string | null }) {
  const { t } = useTranslation();
  const inWords = useInWords();
  const turn = { ...row, content: inWords({ text: row.content, korean: row.korean }) };
  const isLead = turn.role === "orchestrator";
  const who = person ?? turn.agent ?? (isLead ? t("chat.orchestrator") : turn.session);
  return (
    <li
      data-turn={turn.index}
      data-role={turn.role}
      className="grid gap-x-4 gap-y-0.5 md:grid-cols-[104px_1fr]"
    >
      <div className="text-faint text-xs max-md:flex max-md:gap-2 md:text-right">
        <b className={`block truncate text-sm ${isLead && !person ? "text-accent" : "text-ink"}`}>{who}</b>
        <Clock at={turn.saidAt} />
      </div>
      {isMarked(turn) ? (
        <div className={`border-l-2 pl-3 ${MARKS[turn.kind].edge}`}>
          <p className={`font-mono font-semibold text-xs ${MARKS[turn.kind].text}`}>
            {t(`conversation.${turn.kind === "question" && isLead ? "handedOn" : turn.kind}`)}
            {turn.question && ` · ${turn.question}`}
          </p>
          <Markdown text={turn.content} />
        </div>
      ) : (
        <Parts turn={turn} isFolded={isLead} />
      )}
    </li>
  );
}

function Parts({ turn, isFolded }: { turn: TurnRow; isFolded: boolean }) {
  const { t } = useTranslation();
  const leftOut = turn.tools?.nOmitted ?? 0;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {leftOut > 0 && (
        <p className="text-faint text-xs">{t("conversation.toolsLeftOut", { count: leftOut })}</p>
      )}
      {toParts(turn).map((part, index) =>
        part.type === "words" ? (
          <Words key={index} text={part.text} folded={isFolded} />
        ) : (
          <Tools key={index} tools={part.tools} />
        ),
      )}
      {turn.isCut && <p className="text-faint text-xs">{t("conversation.cut")}</p>}
    </div>
  );
}

type Going = { session: string; agent: string; parts: TurnPart[]; trouble: string | null };

/** The turns of a task's agents that are not over, until their rows are among those that are shown. */
function useGoing(run: string, task: string, shown: readonly TurnRow[]): Going[] {
  const sessions = useRows(run, "session").data;
  const at = useSyncExternalStore(running.subscribe, running.count);
  // What is going on is new when something was heard, not when a parent is drawn again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `at` stands for what is in `running`.
  return useMemo(() => {
    const isShown = (row: RunningTurn["row"]) =>
      row !== null && shown.some(({ index }) => row.task === task && row.index === index);
    return Object.values(sessions ?? {}).flatMap((session) => {
      const turn = running.of(run, session.id);
      const isOver = session.state === "ended" || session.state === "lost";
      if (session.task !== task || isOver || !turn || isShown(turn.row)) return [];
      const parts = toRunningParts(turn);
      if (parts.length === 0 && turn.trouble === null) return [];
      return [{ session: session.id, agent: session.agent ?? session.id, parts, trouble: turn.trouble }];
    });
  }, [run, task, shown, sessions, at]);
}

/** What an agent says and does now. */
function GoingTurn({ agent, parts, trouble }: Going) {
  const { t } = useTranslation();
  return (
    <li data-going className="grid gap-x-4 gap-y-0.5 md:grid-cols-[104px_1fr]">
      <div className="text-faint text-xs max-md:flex max-md:gap-2 md:text-right">
        <b className="block truncate text-ink text-sm">{agent}</b>
        <span className="text-run">{t("conversation.now")}</span>
      </div>
      <div className="flex min-w-0 flex-col gap-1">
        {parts.map((part, index) =>
          part.type === "words" ? (
            <Markdown key={index} text={part.text} />
          ) : (
            <Tools key={index} tools={part.tools} isRunning={index === parts.length - 1} />
          ),
        )}
        {trouble && <p className="text-soft text-xs">{trouble}</p>}
      </div>
    </li>
  );
}

/** More than this of an order is folded: agents need the rules of the protocol each time, people once. */
const FOLDED_LINES = 14;

function Words({ text, folded }: { text: string; folded: boolean }) {
  const { t } = useTranslation();
  const lines = text.split("\n");
  if (!folded || lines.length <= FOLDED_LINES) return <Markdown text={text} />;
  return (
    <div>
      <Markdown text={lines.slice(0, FOLDED_LINES - 4).join("\n")} />
      <details className="mt-1">
        <summary className="cursor-pointer text-soft text-xs">
          {t("conversation.more", { count: lines.length - FOLDED_LINES + 4 })}
        </summary>
        <Markdown text={lines.slice(FOLDED_LINES - 4).join("\n")} />
      </details>
    </div>
  );
}
