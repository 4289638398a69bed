import { LoaderCircle } from "lucide-react";
import { useMemo, useRef, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import type { RowsByKey } from "~/api/cache";
import { runningTurns } from "~/api/client";
import type { TurnRow } from "~/api/generated";
import { useRow, useRows, useTurns } from "~/api/hooks";
import type { RunningTurn } from "~/api/runningTurns";
import { ErrorMessage } from "~/components/ErrorMessage";
import { Loading } from "~/components/Loading";
import { useLocalizedText } from "~/components/localizedText";
import { Markdown } from "~/components/Markdown";
import { Notice } from "~/components/Notice";
import { ClockTime } from "~/components/Time";
import { useStickToEnd } from "~/components/useStickToEnd";
import { AgentText } from "./AgentText";
import { forwardedPerson } from "./forwardedPerson";
import { ToolCalls } from "./ToolCalls";
import { type TurnPart, toRunningTurnParts, toTurnParts, totalPartsSize } from "./turnParts";

/** All turns of a task, or of a session without a task, in order, and what its agents say and do now. */
export function Conversation({ run, of }: { run: string; of: string }) {
  const { t } = useTranslation();
  const turns = useTurns(run, of);
  const list = useRef<HTMLOListElement>(null);
  const shown = useMemo(() => toSortedTurns(turns.data ?? {}), [turns.data]);
  const row = useRow(run, "task", of);
  const questions = useRows(run, "question").data;
  const running = useRunningTurns(run, of, shown);
  const count = shown.length;
  const size = running.reduce((sum, { parts }) => sum + totalPartsSize(parts), 0);
  useStickToEnd(() => list.current?.closest<HTMLElement>("[role=tabpanel]"), count + size);
  if (turns.status === "pending") return <Loading />;
  if (turns.status === "error")
    return <ErrorMessage error={turns.error} retry={() => void turns.refetch()} />;
  const workingAgent = running.length === 0 && row?.state === "running" ? row.agent : null;
  if (count + running.length === 0 && workingAgent === null)
    return <Notice title={t("conversation.empty")}>{t("conversation.emptyHint")}</Notice>;
  return (
    <ol ref={list} className="flex flex-col gap-4 px-4 py-4 md:px-5">
      {shown.map((turn) => (
        <TurnItem
          key={turn.index}
          turn={turn}
          person={forwardedPerson(turn, questions?.[turn.question ?? ""])}
        />
      ))}
      {running.map((turn) => (
        <RunningTurnItem key={turn.session} {...turn} />
      ))}
      {workingAgent !== null && (
        // A page that is opened during a turn has not received what the agent said before.
        <li data-working className="flex items-center gap-2 text-soft md:pl-[120px]">
          <LoaderCircle aria-hidden size={14} className="text-run motion-safe:animate-spin" />
          {t("conversation.working", { agent: workingAgent })}
        </li>
      )}
    </ol>
  );
}

export function toSortedTurns(rows: RowsByKey<"turn">): TurnRow[] {
  return Object.values(rows).sort((left, right) => left.index - right.index);
}

type HighlightedKind = "question" | "answer" | "clarification" | "notice";

/** The styles of turns that are not plain text. */
const HIGHLIGHT_STYLES: Record<HighlightedKind, { edge: string; text: string }> = {
  question: { edge: "border-ask-fill", text: "text-ask" },
  answer: { edge: "border-done", text: "text-done" },
  clarification: { edge: "border-ask-fill", text: "text-ask" },
  notice: { edge: "border-fail", text: "text-fail" },
};

function isHighlighted(turn: TurnRow): turn is TurnRow & { kind: HighlightedKind } {
  return Object.hasOwn(HIGHLIGHT_STYLES, turn.kind);
}

function TurnItem({ turn: row, person }: { turn: TurnRow; person: string | null }) {
  const { t } = useTranslation();
  const localize = useLocalizedText();
  // A prompt is shown as it was sent, in the language of the agent.
  const sent = row.kind === "prompt" ? row.sent : undefined;
  const turn = { ...row, content: sent ?? localize({ text: row.content, korean: row.korean }) };
  const isOrchestrator = turn.role === "orchestrator";
  const speaker = person ?? turn.agent ?? (isOrchestrator ? t("chat.orchestrator") : turn.session);
  return (
    <li
      data-turn={turn.index}
      data-role={turn.role}
      className="grid gap-x-4 gap-y-0.5 md:grid-cols-[104px_1fr]"
    >
      <div className="text-faint text-xs max-md:flex max-md:gap-2 md:text-right">
        <b className={`block truncate text-sm ${isOrchestrator && !person ? "text-accent" : "text-ink"}`}>
          {speaker}
        </b>
        <ClockTime at={turn.sentAt} />
      </div>
      {isHighlighted(turn) ? (
        <div className={`border-l-2 pl-3 ${HIGHLIGHT_STYLES[turn.kind].edge}`}>
          <p className={`font-mono font-semibold text-xs ${HIGHLIGHT_STYLES[turn.kind].text}`}>
            {t(`conversation.${turn.kind === "question" && isOrchestrator ? "forwarded" : turn.kind}`)}
            {turn.question && ` · ${turn.question}`}
          </p>
          <Markdown text={turn.content} />
        </div>
      ) : (
        <TurnParts turn={turn} isFolded={isOrchestrator} />
      )}
    </li>
  );
}

function TurnParts({ turn, isFolded }: { turn: TurnRow; isFolded: boolean }) {
  const { t } = useTranslation();
  const nOmitted = turn.tools?.nOmitted ?? 0;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {nOmitted > 0 && (
        <p className="text-faint text-xs">{t("conversation.toolsOmitted", { count: nOmitted })}</p>
      )}
      {toTurnParts(turn).map((part, index) =>
        part.type === "text" ? (
          <FoldableText key={index} text={part.text} folded={isFolded} />
        ) : (
          <ToolCalls key={index} tools={part.tools} />
        ),
      )}
      {turn.isInterrupted && <p className="text-faint text-xs">{t("conversation.cut")}</p>}
    </div>
  );
}

type RunningTurnContent = { session: string; agent: string; parts: TurnPart[]; trouble: string | null };

/** The turns in progress of the agents in a conversation, until their rows are shown. */
function useRunningTurns(run: string, of: string, shown: readonly TurnRow[]): RunningTurnContent[] {
  const sessions = useRows(run, "session").data;
  const version = useSyncExternalStore(runningTurns.subscribe, runningTurns.version);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `version` changes with the content of `runningTurns`.
  return useMemo(() => {
    const isShown = (row: RunningTurn["row"]) =>
      row !== null && shown.some(({ index }) => row.conversation === of && row.index === index);
    return Object.values(sessions ?? {}).flatMap((session) => {
      const turn = runningTurns.get(run, session.id);
      const hasEnded = session.state === "ended" || session.state === "lost";
      if ((session.task ?? session.id) !== of || hasEnded || !turn || isShown(turn.row)) return [];
      const parts = toRunningTurnParts(turn);
      if (parts.length === 0 && turn.trouble === null) return [];
      return [{ session: session.id, agent: session.agent ?? session.id, parts, trouble: turn.trouble }];
    });
  }, [run, of, shown, sessions, version]);
}

/** What an agent says and does now. */
function RunningTurnItem({ agent, parts, trouble }: RunningTurnContent) {
  const { t } = useTranslation();
  return (
    <li data-running className="grid gap-x-4 gap-y-0.5 md:grid-cols-[104px_1fr]">
      <div className="text-faint text-xs max-md:flex max-md:gap-2 md:text-right">
        <b className="block truncate text-ink text-sm">{agent}</b>
        <span className="text-run">{t("conversation.now")}</span>
      </div>
      <div className="flex min-w-0 flex-col gap-1">
        {parts.map((part, index) =>
          part.type === "text" ? (
            <AgentText key={index} text={part.text} />
          ) : (
            <ToolCalls key={index} tools={part.tools} isRunning={index === parts.length - 1} />
          ),
        )}
        {trouble && <p className="text-soft text-xs">{trouble}</p>}
      </div>
    </li>
  );
}

/** A longer prompt is folded: it repeats the rules of the protocol, which agents need every time. */
const FOLDED_LINES = 14;

function FoldableText({ text, folded }: { text: string; folded: boolean }) {
  const { t } = useTranslation();
  if (!folded) return <AgentText text={text} />;
  const json = toFormattedJson(text);
  const lines = (json ?? text).split("\n");
  const Text = json === null ? Markdown : JsonText;
  if (lines.length <= FOLDED_LINES) return <Text text={lines.join("\n")} />;
  return (
    <div>
      <Text text={lines.slice(0, FOLDED_LINES - 4).join("\n")} />
      <details className="mt-1">
        <summary className="cursor-pointer text-soft text-xs">
          {t("conversation.more", { count: lines.length - FOLDED_LINES + 4 })}
        </summary>
        <Text text={lines.slice(FOLDED_LINES - 4).join("\n")} />
      </details>
    </div>
  );
}

function JsonText({ text }: { text: string }) {
  return <pre className="whitespace-pre-wrap break-words font-mono text-xs">{text}</pre>;
}

/** An input in the form of JSON over several lines; `null` if it is none. */
export function toFormattedJson(text: string): string | null {
  if (!text.startsWith("{")) return null;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}
