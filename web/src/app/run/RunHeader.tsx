import { useNavigate } from "@tanstack/react-router";
import { Pause, Play } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { RunRow } from "~/api/generated";
import { useWaiting } from "~/api/hooks";
import { ActionMenu } from "~/components/ActionMenu";
import { Button } from "~/components/Button";
import { money, tokens } from "~/components/figures";
import { useKeys } from "~/components/keys";
import { useOpenTask, usePanelIsOpen } from "~/components/open";
import { ProgressBar } from "~/components/ProgressBar";
import { RunSign } from "~/components/StateSign";
import { Lasted } from "~/components/Time";
import { useRunActions } from "./useRunActions";

export function RunHeader({ row }: { row: RunRow }) {
  const { t } = useTranslation();
  const { actions, busy } = useRunActions(row);
  const atOnce = actions.filter((action) => "act" in action);
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-5 gap-y-2 border-line border-b bg-panel px-4 py-2">
      <div className="min-w-0 max-md:w-full max-md:pr-2 md:max-w-[min(26rem,32vw)]">
        <h1 title={row.title} className="truncate font-semibold text-lg leading-tight">
          {row.title}
        </h1>
        <p className="flex gap-1.5 text-soft text-xs">
          <span>{row.project}</span>·<code className="font-mono">{row.id}</code>·
          <RunSign status={row.status} />
        </p>
      </div>
      <ProgressBar run={row} />
      <div className="flex gap-5 max-lg:hidden">
        <Figure name={t("run.running")}>{t("run.slots", { n: row.tasks.running, slots: row.slots })}</Figure>
        <Figure name={t("run.used")}>
          {tokens(row.used.tokens)} · {money(row.used.costMicros)}
        </Figure>
        <Figure name={t("run.lasts")}>
          <Lasted from={row.startedAt} to={row.endedAt} />
        </Figure>
      </div>
      <div className="ml-auto flex gap-2">
        {atOnce.map((action) => (
          <Button
            key={action.id}
            icon={action.id === "pause" ? <Pause aria-hidden size={14} /> : <Play aria-hidden size={14} />}
            disabled={busy}
            onClick={action.act}
          >
            <span className="max-md:sr-only">{action.name}</span>
          </Button>
        ))}
        <AnswerNext run={row.id} />
        <ActionMenu data-run-menu actions={actions.filter((action) => "ask" in action)} />
      </div>
    </header>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-col leading-tight">
      <span className="text-soft text-xs">{name}</span>
      <b className="font-semibold tabular-nums">{children}</b>
    </div>
  );
}

/** Opens what is most urgent. */
function AnswerNext({ run }: { run: string }) {
  const { t } = useTranslation();
  const open = useOpenTask();
  const isBehind = usePanelIsOpen();
  const navigate = useNavigate();
  const next = useWaiting(run).data?.[0];
  // What is about a phase or the whole run has no place of its own but the inbox, where the most urgent is marked.
  const go = () =>
    next?.task ? open(next.task) : void navigate({ to: "/runs/$run/$view", params: { run, view: "inbox" } });
  useKeys({ g: go }, next !== undefined && !isBehind);
  if (!next) return null;
  return (
    <Button look="main" data-next onClick={go}>
      {t("run.answerNext")} <kbd className="text-accent-ink max-md:hidden">g</kbd>
    </Button>
  );
}
