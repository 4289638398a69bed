import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Table } from "~/api/cache";
import type { TurnRow } from "~/api/generated";
import { useRows } from "~/api/hooks";
import { Loading } from "~/components/Loading";
import { Markdown } from "~/components/Markdown";
import { Problem } from "~/components/Problem";
import { Said } from "~/components/Said";
import { Clock } from "~/components/Time";

/** Every turn of both sides, in order, growing while the agent works. */
export function Conversation({ run, task }: { run: string; task: string }) {
  const { t } = useTranslation();
  const turns = useRows(run, "turn");
  const list = useRef<HTMLOListElement>(null);
  const shown = toTurns(turns.data ?? {}, task);
  const count = shown.length;
  // Whoever reads the end stays at the end; whoever reads further up is left there.
  useEffect(() => {
    const box = list.current?.closest<HTMLElement>("[role=tabpanel]");
    if (!box || count === 0) return;
    const isNearEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 240;
    if (isNearEnd || box.scrollTop === 0) box.scrollTop = box.scrollHeight;
  }, [count]);
  if (turns.status === "pending") return <Loading />;
  if (turns.status === "error") return <Problem error={turns.error} retry={() => void turns.refetch()} />;
  if (count === 0) return <Said title={t("conversation.empty")}>{t("conversation.emptyHint")}</Said>;
  return (
    <ol ref={list} className="flex flex-col gap-4 px-4 py-4 md:px-5">
      {shown.map((turn) => (
        <Turn key={turn.index} turn={turn} />
      ))}
    </ol>
  );
}

/** The turns of one task, in order. */
export function toTurns(rows: Table<"turn">, task: string): TurnRow[] {
  return Object.values(rows)
    .filter((turn) => turn.task === task)
    .sort((left, right) => left.index - right.index);
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

function Turn({ turn }: { turn: TurnRow }) {
  const { t } = useTranslation();
  const isLead = turn.role === "orchestrator";
  const who = turn.agent ?? (isLead ? "orchestrator" : turn.session);
  return (
    <li
      data-turn={turn.index}
      data-role={turn.role}
      className="grid gap-x-4 gap-y-0.5 md:grid-cols-[104px_1fr]"
    >
      <div className="text-faint text-xs max-md:flex max-md:gap-2 md:text-right">
        <b className={`block truncate text-sm ${isLead ? "text-accent" : "text-ink"}`}>{who}</b>
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
        <Words text={turn.content} folded={isLead} />
      )}
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
