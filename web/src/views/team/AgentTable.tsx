import { useTranslation } from "react-i18next";
import { useOpenTask } from "~/components/navigation";
import { TaskStateLabel } from "~/components/StateLabel";
import { hasUsage, usedCostText, usedTokensText } from "~/components/usage";
import { type AgentSummary, shareOfLargest } from "./toAgents";
import { UsageBar } from "./UsageBar";

/** More tasks of an agent than these are only counted. */
const TASKS_MAX = 3;
const NUMBER = "whitespace-nowrap px-3 py-2.5 text-right align-top tabular-nums";
const HEADING = "px-3 py-2 text-right font-semibold";

/** What each agent does now, and what it did and used so far. */
export function AgentTable({ agents }: { agents: readonly AgentSummary[] }) {
  const { t } = useTranslation();
  const all = agents.map(({ used }) => used);
  return (
    <section
      aria-label={t("place.team")}
      tabIndex={0}
      className="overflow-x-auto rounded-xl border border-line bg-panel"
    >
      <table className="w-full min-w-[760px]">
        <thead className="whitespace-nowrap text-soft text-xs">
          <tr>
            <th className="px-4 py-2 text-left font-semibold">{t("team.agent")}</th>
            <th className="px-3 py-2 text-left font-semibold">{t("team.doingNow")}</th>
            <th className={HEADING}>{t("state.done")}</th>
            <th className={HEADING}>{t("state.failed")}</th>
            <th className={HEADING}>{t("team.askedYou")}</th>
            <th className={HEADING}>{t("team.tokenColumn")}</th>
            <th className={HEADING}>{t("task.cost")}</th>
            <th className={`${HEADING} w-28`}>{t("team.share")}</th>
          </tr>
        </thead>
        <tbody>
          {agents.map((agent) => (
            <tr key={agent.name} data-agent={agent.name} className="border-line border-t">
              <th scope="row" className="max-w-52 px-4 py-2.5 text-left align-top font-normal">
                <b className="block truncate font-semibold">{agent.name}</b>
                <span className="block text-soft text-xs">{t(`role.${agent.role}`)}</span>
                {agent.models.map((model) => (
                  <span key={model} title={model} className="block truncate text-soft text-xs">
                    {model}
                  </span>
                ))}
                {hasUsage(agent.used) && (
                  <span aria-hidden className="block text-xs tabular-nums md:hidden">
                    {usedTokensText(t, agent.used)} · <b>{usedCostText(t, agent.used)}</b>
                  </span>
                )}
              </th>
              <td className="w-full max-w-0 px-3 py-2.5 align-top max-md:min-w-56">
                <TasksNow agent={agent} />
              </td>
              <td className={NUMBER}>{agent.nDone}</td>
              <td className={`${NUMBER} ${agent.nFailed > 0 ? "text-fail" : ""}`}>{agent.nFailed}</td>
              <td className={NUMBER}>{agent.nAsked}</td>
              <td className={NUMBER}>{usedTokensText(t, agent.used)}</td>
              <td className={`${NUMBER} font-semibold`}>{usedCostText(t, agent.used)}</td>
              <td className="px-4 py-2.5 align-top">
                <UsageBar share={shareOfLargest(agent.used, all)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function TasksNow({ agent: { tasksNow, nDone, nFailed } }: { agent: AgentSummary }) {
  const { t } = useTranslation();
  const open = useOpenTask();
  if (tasksNow.length === 0)
    return (
      <span className="text-soft">{t(nDone + nFailed === 0 ? "team.noWorkYet" : "team.nothingNow")}</span>
    );
  return (
    <ul className="flex flex-col gap-0.5">
      {tasksNow.slice(0, TASKS_MAX).map((task) => (
        <li key={task.id}>
          <button
            type="button"
            onClick={() => open(task.id)}
            className="flex max-w-full gap-x-1.5 rounded text-left hover:underline max-md:min-h-11 max-md:flex-wrap max-md:items-center"
          >
            <span className="shrink-0">
              <TaskStateLabel task={task} named />
            </span>
            <span className="min-w-0 md:truncate">
              <code className="font-mono text-soft text-xs">{task.id}</code> {task.title}
            </span>
          </button>
        </li>
      ))}
      {tasksNow.length > TASKS_MAX && (
        <li className="text-soft text-xs">{t("gate.more", { count: tasksNow.length - TASKS_MAX })}</li>
      )}
    </ul>
  );
}
