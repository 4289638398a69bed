import { Link } from "@tanstack/react-router";
import {
  ArrowRight,
  Bot,
  CircleCheck,
  CircleHelp,
  CircleX,
  Combine,
  ListChecks,
  type LucideIcon,
  PencilLine,
  Play,
} from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ListedAgent } from "~/api/generated";
import { useKnownAgents, usePlans, useProjects } from "~/api/plans";
import { CopyButton } from "~/components/CopyButton";
import { ErrorLine } from "~/components/ErrorLine";
import { Loading } from "~/components/Loading";

const STEPS: [name: "plan" | "agents" | "answer" | "merge", icon: LucideIcon, color: string][] = [
  ["plan", ListChecks, "text-soft"],
  ["agents", Bot, "text-run"],
  ["answer", CircleHelp, "text-ask"],
  ["merge", Combine, "text-done"],
];
const CARD = "flex min-w-0 flex-col gap-1.5 rounded-xl border border-line bg-panel p-4";

/** Shown while there are no runs: what Jangdan does, how to begin, and which agents can be used here. */
export function FirstOpen() {
  const { t } = useTranslation();
  const projects = useProjects();
  const project = projects.data?.[0] ?? null;
  const plans = usePlans(project?.folder ?? null).data ?? [];
  return (
    <div data-first-open className="mx-auto flex max-w-4xl flex-col gap-7 py-4 md:py-10">
      <h2 className="mx-auto max-w-3xl text-balance text-center font-semibold text-[24px] leading-tight max-md:text-[20px]">
        {t("firstOpen.title")}
      </h2>
      <ol className="flex items-start gap-2 max-md:flex-col">
        {STEPS.map(([step, Icon, color], n) => (
          <Fragment key={step}>
            {n > 0 && (
              <li aria-hidden className="self-center text-faint max-md:hidden">
                <ArrowRight size={16} />
              </li>
            )}
            <li className="flex flex-1 flex-col items-center gap-1 text-center max-md:w-full max-md:flex-row max-md:gap-3 max-md:text-left">
              <span className="flex h-16 w-full items-center justify-center rounded-xl border border-line bg-panel max-md:size-12 max-md:shrink-0">
                <Icon aria-hidden size={24} className={color} />
              </span>
              <span>
                <b className="block font-semibold">{t(`firstOpen.step.${step}.name`)}</b>
                <span className="text-soft text-sm">{t(`firstOpen.step.${step}.text`)}</span>
              </span>
            </li>
          </Fragment>
        ))}
      </ol>
      <div className="grid gap-3 md:grid-cols-3">
        <section className={CARD}>
          <CardTitle icon={Play}>{t("firstOpen.demo")}</CardTitle>
          <p className="text-soft text-sm">{t("firstOpen.demoText")}</p>
          <Command text="jangdan demo" />
        </section>
        <Link to="/new" className={`${CARD} hover:border-faint`}>
          <CardTitle icon={ListChecks}>{t("firstOpen.run")}</CardTitle>
          <span className="text-soft text-sm">
            {plans[0]
              ? t("firstOpen.plansFound", { count: plans.length, path: plans[0].path })
              : t("firstOpen.noPlan")}
          </span>
        </Link>
        <Link to="/new" className={`${CARD} hover:border-faint`}>
          <CardTitle icon={PencilLine}>{t("firstOpen.write")}</CardTitle>
          <span className="text-soft text-sm">{t("firstOpen.writeText")}</span>
        </Link>
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-3 rounded-xl border border-line bg-panel p-4 max-md:grid-cols-1 max-md:gap-y-1">
        {project && (
          <>
            <dt className="text-soft">{t("firstOpen.folder")}</dt>
            <dd className="break-words font-mono text-xs">{project.folder}</dd>
          </>
        )}
        <dt className="text-soft">{t("firstOpen.agents")}</dt>
        <dd>
          <AgentStates project={project?.folder ?? null} isReady={!projects.isLoading} />
        </dd>
      </dl>
      <div className="flex flex-wrap items-center justify-center gap-2 text-soft text-sm">
        {t("firstOpen.terminal")} <Command text="jangdan run TASKS.md" />
      </div>
    </div>
  );
}

function CardTitle({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) {
  return (
    <span className="flex items-center gap-2 font-semibold text-[15px]">
      <Icon aria-hidden size={17} className="shrink-0 text-accent" /> {children}
    </span>
  );
}

function Command({ text }: { text: string }) {
  return (
    <span className="inline-flex w-fit max-w-full items-center gap-1 rounded-lg bg-page py-0.5 pr-0.5 pl-2.5">
      <code className="min-w-0 truncate font-mono text-ink text-xs">{text}</code>
      <CopyButton text={text} />
    </span>
  );
}

/** The agents that are known here, and what to do before one can be used. */
function AgentStates({ project, isReady }: { project: string | null; isReady: boolean }) {
  const { t } = useTranslation();
  const agents = useKnownAgents(project, isReady);
  if (agents.error)
    return (
      <ErrorLine
        what={t("firstOpen.agentsFailed")}
        error={agents.error}
        retry={() => void agents.refetch()}
      />
    );
  if (!agents.data) return <Loading />;
  return (
    <ul className="flex flex-col gap-1.5">
      {[...agents.data]
        .sort((left, right) => Number(right.works) - Number(left.works))
        .map((agent) => (
          <li key={agent.name} className="flex flex-wrap items-baseline gap-x-2">
            <b className="font-semibold">{agent.title}</b>
            <AgentState agent={agent} />
          </li>
        ))}
    </ul>
  );
}

function AgentState({ agent }: { agent: ListedAgent }) {
  const { t } = useTranslation();
  if (agent.works)
    return (
      <span className="inline-flex items-center gap-1 text-done">
        <CircleCheck aria-hidden size={14} /> {agent.version} {t("firstOpen.ready")}
      </span>
    );
  return (
    <span className="inline-flex min-w-0 items-center gap-1 text-soft">
      <CircleX aria-hidden size={14} className="shrink-0" />
      {agent.missing ?? t("firstOpen.notReady")}
    </span>
  );
}
