import { Link, useSearch } from "@tanstack/react-router";
import { Stamp } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { GateRow } from "~/api/generated";
import { useInbox, useRows } from "~/api/hooks";
import { Notice } from "~/components/Notice";
import { QueryFallback } from "~/components/QueryFallback";
import { PhaseReview } from "./PhaseReview";
import { chooseReviewedPhase } from "./reviewedPhase";

/** The work of a phase as a whole, with what proves it: to approve it, or to request changes. */
export default function Review({ run }: { run: string }) {
  const { t } = useTranslation();
  const { phase: wanted } = useSearch({ strict: false });
  const gates = useRows(run, "gate");
  const phases = useRows(run, "phase");
  const inbox = useInbox(run);
  if (!gates.data || !phases.data || !inbox.data) return <QueryFallback queries={[gates, phases, inbox]} />;
  const reviewable = Object.values(gates.data)
    .filter(({ rounds }) => rounds.length > 0)
    .sort((left, right) => left.phase - right.phase);
  const entryOf = (phase: number) => inbox.data.find(({ item }) => item.type === "gate" && item.id === phase);
  const chosen = chooseReviewedPhase(reviewable, wanted, (phase) => entryOf(phase) !== undefined);
  const gate = reviewable.find(({ phase }) => phase === chosen);
  if (!gate) {
    return (
      <Notice title={t("review.empty")} icon={<Stamp aria-hidden size={22} />}>
        <p>{t("review.emptyHint")}</p>
      </Notice>
    );
  }
  return (
    <div className="flex h-full min-h-0 flex-col">
      {reviewable.length > 1 && (
        <nav
          aria-label={t("overview.phases")}
          className="flex shrink-0 gap-1.5 overflow-x-auto px-4 pt-3 [scrollbar-width:none]"
        >
          {reviewable.map((row) => (
            <PhaseChip
              key={row.phase}
              run={run}
              gate={row}
              name={phases.data[String(row.phase)]?.name ?? ""}
              isCurrent={row.phase === gate.phase}
              needsYou={entryOf(row.phase) !== undefined}
            />
          ))}
        </nav>
      )}
      <PhaseReview
        key={gate.phase}
        run={run}
        gate={gate}
        name={phases.data[String(gate.phase)]?.name ?? ""}
        actions={entryOf(gate.phase)?.actions ?? []}
      />
    </div>
  );
}

type PhaseChipProps = { run: string; gate: GateRow; name: string; isCurrent: boolean; needsYou: boolean };

function PhaseChip({ run, gate, name, isCurrent, needsYou }: PhaseChipProps) {
  const { t } = useTranslation();
  return (
    <Link
      to="/runs/$run/$place"
      params={{ run, place: "review" }}
      search={{ phase: gate.phase }}
      aria-current={isCurrent ? "page" : undefined}
      className={`inline-flex min-h-8 items-center gap-1.5 whitespace-nowrap rounded-full border px-3 aria-[current]:border-ink aria-[current]:font-semibold aria-[current]:text-ink max-md:min-h-11 ${needsYou ? "border-ask-line bg-ask-soft text-ask" : "border-line text-soft"}`}
    >
      {gate.phase} {name}
      <span className="font-normal text-xs">{t(`gateState.${gate.state}`)}</span>
    </Link>
  );
}
