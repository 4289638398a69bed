import { Pause, Play } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { RunRow } from "~/api/generated";
import { useInbox } from "~/api/hooks";
import { ActionMenu } from "~/components/ActionMenu";
import { Button } from "~/components/Button";
import { useIsPanelOpen, useOpenEntry } from "~/components/navigation";
import { ProgressBar } from "~/components/ProgressBar";
import type { PlaceName } from "~/components/places";
import { RunStateLabel } from "~/components/StateLabel";
import { useShortcuts } from "~/components/shortcuts";
import { Duration } from "~/components/Time";
import { hasUsage, usedCostText, usedTokensText } from "~/components/usage";
import { useRunActions } from "./useRunActions";

export function RunHeader({ row, place }: { row: RunRow; place: PlaceName }) {
  const { t } = useTranslation();
  const { actions, busy } = useRunActions(row);
  const immediate = actions.filter((action) => "perform" in action);
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-5 gap-y-2 border-line border-b bg-panel px-4 py-2">
      <div className="min-w-0 max-md:w-full max-md:pr-2 md:max-w-[min(26rem,32vw)]">
        <h1 title={row.title} className="truncate font-semibold text-lg leading-tight">
          {row.title}
        </h1>
        <p className="flex gap-1.5 text-soft text-xs">
          <span>{row.project}</span>·<code className="font-mono">{row.id}</code>·
          <RunStateLabel run={row} />
        </p>
      </div>
      <ProgressBar run={row} />
      <div className="flex gap-5 max-lg:hidden">
        <RunMetric name={t("run.running")}>
          {t("run.slots", { n: row.tasks.running, slots: row.slots })}
        </RunMetric>
        <RunMetric name={t("run.usage")}>
          {hasUsage(row.used) ? `${usedTokensText(t, row.used)} · ${usedCostText(t, row.used)}` : "–"}
        </RunMetric>
        <RunMetric name={t("run.elapsed")}>
          <Duration from={row.startedAt} to={row.endedAt} />
        </RunMetric>
      </div>
      <div className="ml-auto flex gap-2">
        {immediate.map((action) => (
          <Button
            key={action.id}
            icon={action.id === "pause" ? <Pause aria-hidden size={14} /> : <Play aria-hidden size={14} />}
            disabled={busy}
            onClick={action.perform}
          >
            <span className="max-md:sr-only">{action.name}</span>
          </Button>
        ))}
        <AnswerNextButton run={row.id} isMain={place !== "needs-you"} />
        <ActionMenu data-run-menu actions={actions.filter((action) => "confirm" in action)} />
      </div>
    </header>
  );
}

function RunMetric({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-col leading-tight">
      <span className="text-soft text-xs">{name}</span>
      <b className="font-semibold tabular-nums">{children}</b>
    </div>
  );
}

/** Opens the most urgent item that needs the user. */
function AnswerNextButton({ run, isMain }: { run: string; isMain: boolean }) {
  const { t } = useTranslation();
  const openEntry = useOpenEntry();
  const isPanelOpen = useIsPanelOpen();
  const next = useInbox(run).data?.[0];
  const go = () => next && openEntry(next);
  useShortcuts({ g: go }, next !== undefined && !isPanelOpen);
  if (!next) return null;
  return (
    <Button variant={isMain ? "main" : "plain"} data-next onClick={go}>
      {t("run.answerNext")} <kbd className={`max-md:hidden ${isMain ? "text-accent-ink" : ""}`}>g</kbd>
    </Button>
  );
}
