import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { GateRow, InboxAction } from "~/api/generated";
import { useRows } from "~/api/hooks";
import { encodePathSegment } from "~/api/http";
import { personNameOfActor } from "~/components/actor";
import { CommandSource } from "~/components/CommandSource";
import { DiffFiles } from "~/components/DiffFiles";
import { GateProof } from "~/components/inbox/GateProof";
import { LargeFileList } from "~/components/inbox/LargeFileList";
import { Markdown } from "~/components/Markdown";
import { useReviewComments } from "~/components/reviewComments";
import { ClockTime } from "~/components/Time";
import { ReviewDecision } from "./ReviewDecision";
import { ReviewTasks } from "./ReviewTasks";

type Props = {
  run: string;
  gate: GateRow;
  name: string;
  /** Empty if the phase does not need the user. */
  actions: readonly InboxAction[];
};

/** One phase: what proves it and its tasks beside its diff, and below them the decision. */
export function PhaseReview({ run, gate, name, actions }: Props) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const comments = useReviewComments(run, gate.phase);
  const details = useRows(run, "taskDetail").data ?? {};
  // If a task declares no files, any file may be one of its own.
  const touches = gate.tasks.map(({ id }) => details[id]?.touches ?? []);
  const declared = touches.some((paths) => paths.length === 0) ? [] : touches.flat();
  const canDecide = actions.length > 0;
  const round = gate.rounds.at(-1);
  const canCompare = round?.report?.changesSinceRejection != null;
  const [scope, setScope] = useState<"all" | "sinceRejection">(canCompare ? "sinceRejection" : "all");
  const path = `/api/runs/${encodePathSegment(run)}/phases/${gate.phase}/diff`;
  return (
    <>
      <section
        tabIndex={0}
        aria-label={t("review.label", { n: gate.phase, name })}
        className="@container min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
      >
        <div className="grid @4xl:grid-cols-[minmax(0,340px)_minmax(0,1fr)] items-start">
          <div className="flex min-w-0 flex-col gap-5 p-4 md:pl-6">
            <div>
              <h2 className="font-semibold text-[19px] leading-snug">
                {gate.phase} {name}
              </h2>
              <p className="text-soft">
                {t(`gateState.${gate.state}`)} · {t("gate.round", { n: gate.round })}
                {gate.approval && (
                  <>
                    {" · "}
                    {personNameOfActor(gate.approval.by)} <ClockTime at={gate.approval.approvedAt} />
                    <CommandSource origin={gate.approval.origin} />
                  </>
                )}
              </p>
            </div>
            <EarlierRounds gate={gate} />
            <ReviewSection title={t("taskTab.checks")}>
              <GateProof gate={gate} />
            </ReviewSection>
            {round?.report?.summary && round.verifier !== null && (
              <ReviewSection title={t("review.report")}>
                <Markdown text={round.report.summary} />
              </ReviewSection>
            )}
            <ReviewSection title={t("review.tasks")}>
              <ReviewTasks tasks={gate.tasks} chosen={chosen} onChoose={canDecide ? setChosen : null} />
              <LargeFileList files={gate.tasks.flatMap((task) => task.leftOut)} />
            </ReviewSection>
            {gate.artefacts.length + gate.documents.length > 0 && (
              <ReviewSection title={t("review.files")}>
                <ul className="break-words font-mono text-xs">
                  {[...gate.artefacts, ...gate.documents].map((file) => (
                    <li key={file}>{file}</li>
                  ))}
                </ul>
              </ReviewSection>
            )}
          </div>
          <div className="min-w-0 @4xl:border-line @4xl:border-l">
            {canCompare && (
              <fieldset className="flex gap-1.5 px-4 pt-4">
                <legend className="sr-only">{t("review.scope")}</legend>
                {(["sinceRejection", "all"] as const).map((choice) => (
                  <button
                    key={choice}
                    type="button"
                    aria-pressed={scope === choice}
                    onClick={() => setScope(choice)}
                    className="min-h-8 rounded-full border border-line px-3 text-soft aria-pressed:border-ink aria-pressed:font-semibold aria-pressed:text-ink max-md:min-h-11"
                  >
                    {t(`review.scopes.${choice}`)}
                  </button>
                ))}
              </fieldset>
            )}
            <DiffFiles
              key={`${scope} ${gate.round}`}
              path={scope === "all" ? path : `${path}?sinceRejection=true`}
              of={path}
              comments={canDecide ? comments : undefined}
              declared={declared}
            />
          </div>
        </div>
      </section>
      {canDecide && (
        <ReviewDecision run={run} gate={gate} actions={actions} tasks={[...chosen]} comments={comments} />
      )}
    </>
  );
}

/** The rounds that were rejected, with their reasons. */
function EarlierRounds({ gate }: { gate: GateRow }) {
  const { t } = useTranslation();
  const earlier = gate.rounds.slice(0, -1).filter(({ reason }) => reason);
  if (earlier.length === 0) return null;
  return (
    <ReviewSection title={t("review.requested")}>
      {earlier.map(({ round, reason, rework }) => (
        <div key={round} className="border-line border-l-2 pl-3">
          <p className="text-soft text-xs">
            {t("gate.round", { n: round })}
            {rework.length > 0 && ` · ${rework.join(", ")}`}
          </p>
          <p className="whitespace-pre-wrap break-words">{reason}</p>
        </div>
      ))}
      {gate.rounds.at(-1)?.isUnchanged && <b>{t("gate.sameAsRejected")}</b>}
    </ReviewSection>
  );
}

function ReviewSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col gap-1.5">
      <h3 className="font-semibold text-soft text-xs">{title}</h3>
      {children}
    </section>
  );
}
