import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import type { RunRow } from "~/api/generated";
import { useInbox } from "~/api/hooks";
import { RUN_STATE_STYLES, STATE_STYLES, TEXT_COLORS } from "~/components/state";
import { nTasksInProgress, type Situation, toSituation } from "./toSituation";

/** The kinds of items in the order in which the sentence names them. */
const KINDS = ["question", "request", "gate", "escalation", "plan"] as const;

/** The state of a run in one sentence, in which each number is a link, and one that says what goes on besides. */
export function StateSentence({ row }: { row: RunRow }) {
  const { t } = useTranslation();
  const n = useInbox(row.id).data?.length ?? 0;
  const situation = toSituation(row, n);
  const { tone, icon: Icon } = situationStyle(situation, row);
  const { done, failed, skipped, cancelled } = row.tasks;
  const inProgress = nTasksInProgress(row.tasks);
  const open = row.nTasks - done - failed - skipped - cancelled;
  return (
    <div className="flex min-w-0 flex-1 basis-96 flex-col gap-1">
      <div role="status" aria-live="polite">
        <h2
          data-situation={situation}
          className="flex items-start gap-2 font-semibold text-[20px] leading-tight max-md:text-[17px]"
        >
          <Icon aria-hidden size={20} className={`mt-0.5 shrink-0 ${TEXT_COLORS[tone]}`} />
          <span className="min-w-0">
            {t(`overview.situation.${situation}`, { count: inProgress, done, total: row.nTasks })}
            {n > 0 && (situation === "waitingForYou" || situation === "workingAndWaiting") && (
              <>
                {" "}
                <ItemCounts run={row.id} />
              </>
            )}
          </span>
        </h2>
      </div>
      <p className="text-soft">
        {situation === "waitingForYou" && inProgress === 0
          ? t("overview.nothingContinues", { count: open })
          : situation === "waitingForYou"
            ? t("overview.someContinue", { count: inProgress })
            : row.endedAt !== null
              ? failed + skipped + cancelled === 0
                ? t("overview.nothingLeft")
                : t("overview.ended", { count: failed + skipped + cancelled })
              : t("overview.open", { count: open })}
      </p>
    </div>
  );
}

function situationStyle(situation: Situation, row: RunRow) {
  switch (situation) {
    case "waitingForYou":
      return STATE_STYLES.needsAnswer;
    case "idle":
      return STATE_STYLES.waiting;
    case "working":
    case "workingAndWaiting":
    case "done":
    case "failed":
    case "cancelled":
    case "paused":
      return RUN_STATE_STYLES[row.status];
  }
}

/** The number of items of each kind; each leads to the items of its kind. */
function ItemCounts({ run }: { run: string }) {
  const { t, i18n } = useTranslation();
  const entries = useInbox(run).data ?? [];
  const counts = KINDS.map((kind) => ({
    kind,
    n: entries.filter(({ item }) => item.type === kind).length,
  })).filter(({ n }) => n > 0);
  // The list's own words, "and" or a comma, depend on the language.
  const parts = new Intl.ListFormat(i18n.language, { type: "conjunction" }).formatToParts(
    counts.map(({ kind }) => kind),
  );
  return parts.map(({ type, value }, index) => {
    const count = counts.find(({ kind }) => type === "element" && kind === value);
    if (!count) return <Fragment key={index}>{value}</Fragment>;
    return (
      <Link
        key={index}
        to="/runs/$run/$place"
        params={{ run, place: "needs-you" }}
        search={{ kind: count.kind }}
        className="underline decoration-2 decoration-ask-fill underline-offset-4 hover:text-ask"
      >
        {t(`overview.items.${count.kind}`, { count: count.n })}
      </Link>
    );
  });
}
