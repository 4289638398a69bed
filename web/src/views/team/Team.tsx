import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useRow, useRows } from "~/api/hooks";
import { QueryFallback } from "~/components/QueryFallback";
import { usedCostText, usedTokensText } from "~/components/usage";
import { AgentTable } from "./AgentTable";
import { CostShares } from "./CostShares";
import { SessionTree } from "./SessionTree";
import { toAgents, toModelShares, toPhaseShares, toTaskShares } from "./toAgents";

/** The agents of a run, what it cost, and its sessions. */
export default function Team({ run }: { run: string }) {
  const { t } = useTranslation();
  const row = useRow(run, "run", "run");
  const agents = useRows(run, "agent");
  const tasks = useRows(run, "task");
  const attempts = useRows(run, "attempt");
  const questions = useRows(run, "question");
  const sessions = useRows(run, "session");
  const phases = useRows(run, "phase");
  const team = useMemo(
    () =>
      toAgents({
        agents: agents.data ?? {},
        tasks: tasks.data ?? {},
        attempts: attempts.data ?? {},
        questions: questions.data ?? {},
        sessions: sessions.data ?? {},
      }),
    [agents.data, tasks.data, attempts.data, questions.data, sessions.data],
  );
  const queries = [agents, tasks, attempts, questions, sessions, phases];
  if (!row || queries.some(({ data }) => data === undefined)) return <QueryFallback queries={queries} />;
  return (
    <div className="@container mx-auto flex max-w-6xl flex-col gap-5 p-4 md:p-6">
      <section className="flex flex-col gap-2">
        <h2 className="flex flex-wrap items-baseline gap-x-2 font-semibold text-[15px]">
          {t("team.title")}
          <span className="font-normal text-soft text-sm">
            {t("team.atOnce", { count: row.slots, agents: team.length })}
          </span>
        </h2>
        {team.length > 0 && <AgentTable agents={team} />}
      </section>
      <section className="flex flex-col gap-2">
        <h2 className="flex flex-wrap items-baseline gap-x-2 font-semibold text-[15px]">
          {t("task.cost")}
          <span data-cost className="font-normal text-sm">
            <b className="font-semibold">{usedCostText(t, row.used)}</b>{" "}
            <span className="text-soft">
              {row.used.tokens > 0 && t("team.tokens", { n: usedTokensText(t, row.used) })}
            </span>
          </span>
        </h2>
        <div className="grid items-start gap-3 @4xl:grid-cols-3">
          <CostShares title={t("team.byPhase")} shares={toPhaseShares(phases.data ?? {})} />
          <CostShares title={t("team.byModel")} shares={toModelShares(sessions.data ?? {})} />
          <CostShares title={t("team.byTask")} shares={toTaskShares(tasks.data ?? {})} areTasks />
        </div>
      </section>
      <SessionTree run={run} />
    </div>
  );
}
