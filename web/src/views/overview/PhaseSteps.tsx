import { Link } from "@tanstack/react-router";
import { Check, CircleDashed, CirclePause, type LucideIcon, Play, Stamp, X } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { PhaseRow, PhaseState, RunRow } from "~/api/generated";
import { useInbox, useRows } from "~/api/hooks";
import { TEXT_COLORS, type Tone } from "~/components/state";
import { usedCostText } from "~/components/usage";
import { isUnfinished, usePhaseStateName } from "~/components/usePhaseState";
import { toPhaseSteps } from "./toPhaseSteps";

const PHASE_STYLES: Record<PhaseState, { tone: Tone; icon: LucideIcon }> = {
  waiting: { tone: "wait", icon: CircleDashed },
  running: { tone: "run", icon: Play },
  paused: { tone: "wait", icon: CirclePause },
  atGate: { tone: "check", icon: Stamp },
  approved: { tone: "done", icon: Check },
  landed: { tone: "done", icon: Check },
  cancelled: { tone: "wait", icon: X },
};

/** The phases of a run as steps; those that run beside each other are one below the other. */
export function PhaseSteps({ row }: { row: RunRow }) {
  const { t } = useTranslation();
  const phases = useRows(row.id, "phase").data;
  const steps = useMemo(() => toPhaseSteps(phases ?? {}), [phases]);
  if (steps.length === 0) return null;
  return (
    <section
      aria-label={t("overview.phases")}
      tabIndex={0}
      className="overflow-x-auto rounded-xl outline-offset-2 @max-2xl:overflow-visible"
    >
      <ol className="flex min-w-full gap-3 @max-2xl:flex-col">
        {steps.map((step) => (
          <li key={step[0]?.number} className="flex min-w-44 flex-1 flex-col justify-center gap-2">
            {step.map((phase) => (
              <PhaseCard key={phase.number} run={row} phase={phase} />
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

function PhaseCard({ run: { id: run, endedAt }, phase }: { run: RunRow; phase: PhaseRow }) {
  const { t, i18n } = useTranslation();
  const inbox = useInbox(run).data ?? [];
  const needsApproval = inbox.some(({ item }) => item.type === "gate" && item.id === phase.number);
  const stateName = usePhaseStateName(run);
  const { tone, icon: Icon } = PHASE_STYLES[isUnfinished(phase, endedAt) ? "cancelled" : phase.state];
  const { done, failed, skipped, cancelled } = phase.tasks;
  const inProgress = phase.tasks.running + phase.tasks.checking + phase.tasks.merging;
  const states = [
    needsApproval
      ? t("overview.phaseNeedsApproval")
      : phase.state === "waiting" && endedAt === null && phase.waitsFor.length > 0
        ? t("overview.phaseAfter", {
            count: phase.waitsFor.length,
            phases: new Intl.ListFormat(i18n.language, { type: "conjunction" }).format(
              phase.waitsFor.map(String),
            ),
          })
        : stateName(phase),
    phase.round > 1 && t("gate.round", { n: phase.round }),
    inProgress > 0 && t("overview.count.running", { count: inProgress }),
    phase.tasks.blocked > 0 && t("overview.count.blocked", { count: phase.tasks.blocked }),
    failed > 0 && t("overview.count.failed", { count: failed }),
    phase.used.tokens > 0 && phase.used.costCertainty !== "unknown" && usedCostText(t, phase.used),
  ].filter(Boolean);
  const share = (n: number) => `${phase.nTasks === 0 ? 0 : (100 * n) / phase.nTasks}%`;
  const address = needsApproval
    ? ({ params: { run, place: "review" }, search: { phase: phase.number } } as const)
    : ({ params: { run, place: "work" }, search: { view: "list" } } as const);
  return (
    <Link
      to="/runs/$run/$place"
      {...address}
      data-phase={phase.number}
      className={`flex flex-col gap-1.5 rounded-xl border px-3.5 py-2.5 hover:border-faint ${needsApproval ? "border-ask-line bg-ask-soft" : "border-line bg-panel"}`}
    >
      <span className="flex items-center gap-2">
        <Icon
          aria-hidden
          size={15}
          className={`shrink-0 ${needsApproval ? "text-ask" : TEXT_COLORS[tone]}`}
        />
        <b className="line-clamp-2 min-w-0 flex-1 font-semibold">
          {phase.number} {phase.name}
        </b>
        <span className="whitespace-nowrap text-soft tabular-nums">
          {done}/{phase.nTasks}
        </span>
      </span>
      <span aria-hidden className="flex h-1.5 overflow-hidden rounded-full bg-line">
        <i className="bg-done" style={{ width: share(done) }} />
        <i className="bg-run" style={{ width: share(inProgress) }} />
        <i className="bg-wait" style={{ width: share(phase.tasks.blocked + skipped + cancelled) }} />
        <i className="bg-fail" style={{ width: share(failed) }} />
      </span>
      <span className={`text-xs ${needsApproval ? "text-ask" : "text-soft"}`}>{states.join(" · ")}</span>
    </Link>
  );
}
