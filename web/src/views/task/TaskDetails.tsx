import { Link } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { type ReactNode, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import type { TaskRow } from "~/api/generated";
import { useRow, useRows } from "~/api/hooks";
import { marksText } from "~/components/marks";
import { TaskStateLabel } from "~/components/StateLabel";
import { Duration, TimeAgo } from "~/components/Time";
import { usedCostText, usedTokensText } from "~/components/usage";

/** The key facts about a task: agent, usage, checks and dependencies. */
export function TaskDetails({ run, task }: { run: string; task: TaskRow }) {
  const { t } = useTranslation();
  const isWide = useIsWide();
  const detail = useRow(run, "taskDetail", task.id);
  const session = useRow(run, "session", task.session);
  const details = useRows(run, "taskDetail").data ?? {};
  const dependents = Object.values(details)
    .filter((other) => other.dependsOn.includes(task.id))
    .map((other) => other.id);
  const all = (
    <>
      <DetailSection title={t("task.work")}>
        <DetailLine name={t("task.agent")}>{task.agent ?? "–"}</DetailLine>
        {session && (
          <DetailLine name={t("task.session")}>
            {t(`sessionState.${session.park ?? session.state}`)} · <TimeAgo at={session.stateSinceAt} />
          </DetailLine>
        )}
        {session?.model && <DetailLine name={t("task.model")}>{session.model}</DetailLine>}
        {session?.contextPermille != null && (
          <DetailLine name={t("task.context")}>{Math.round(session.contextPermille / 10)} %</DetailLine>
        )}
        {task.progress !== null && (
          <DetailLine name={t("task.progress")}>{Math.round(task.progress * 100)} %</DetailLine>
        )}
        {task.startedAt && (
          <DetailLine name={t("task.elapsed")}>
            <Duration from={task.startedAt} to={task.endedAt} />
          </DetailLine>
        )}
        <DetailLine name={t("task.tokens")}>{usedTokensText(t, task.used)}</DetailLine>
        <DetailLine name={t("task.cost")}>{usedCostText(t, task.used)}</DetailLine>
        <DetailLine name={t("task.priority")}>{t(`priority.${task.priority}`)}</DetailLine>
      </DetailSection>
      {(detail?.verify || task.proof) && (
        <DetailSection title={t("taskTab.checks")}>
          {detail?.verify && (
            <code className="block break-words font-mono text-ink text-xs">{detail.verify}</code>
          )}
          {task.proof && <DetailLine name={t("task.proof")}>{resultText(t, task)}</DetailLine>}
        </DetailSection>
      )}
      {detail && detail.dependsOn.length > 0 && (
        <DetailSection title={t("task.dependsOn")}>
          {detail.dependsOn.map((id) => (
            <TaskLink key={id} run={run} id={id} />
          ))}
        </DetailSection>
      )}
      {dependents.length > 0 && (
        <DetailSection title={t("task.blocks")}>
          {dependents.map((id) => (
            <TaskLink key={id} run={run} id={id} />
          ))}
        </DetailSection>
      )}
    </>
  );
  const layout = "flex flex-col gap-4 overflow-y-auto px-4 py-4 text-sm text-soft";
  if (isWide) {
    return (
      <aside aria-label={t("task.about")} className={`w-[268px] shrink-0 border-line border-l ${layout}`}>
        {all}
      </aside>
    );
  }
  return (
    <details className="shrink-0 border-line border-t">
      <summary className="cursor-pointer px-4 py-2 font-medium text-soft">{t("task.about")}</summary>
      <div className={`max-h-[45dvh] ${layout}`}>{all}</div>
    </details>
  );
}

/** From this width on the details are beside the tabs. */
const WIDE = matchMedia("(min-width: 64rem)");

function useIsWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      WIDE.addEventListener("change", listener);
      return () => WIDE.removeEventListener("change", listener);
    },
    () => WIDE.matches,
  );
}

/** How the result was proved, and the marks that say more. */
function resultText(t: TFunction, { proof, marks }: TaskRow): string {
  const result = proof === "checked" ? t("proof.checked") : "";
  return [result, marksText(t, marks)].filter(Boolean).join(" · ");
}

function DetailSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-1 font-semibold text-ink">{title}</h3>
      {children}
    </section>
  );
}

function DetailLine({ name, children }: { name: string; children: ReactNode }) {
  return (
    <p className="flex justify-between gap-3 py-0.5">
      <span className="shrink-0">{name}</span>
      <b className="text-right font-medium text-ink tabular-nums">{children}</b>
    </p>
  );
}

function TaskLink({ run, id }: { run: string; id: string }) {
  const task = useRow(run, "task", id);
  return (
    <Link
      to="/runs/$run/tasks/$task"
      params={{ run, task: id }}
      search={({ tab: _tab, ...search }) => search}
      className="flex justify-between gap-2 py-0.5 hover:text-ink hover:underline"
    >
      <span className="min-w-0 truncate">
        <code className="font-mono">{id}</code> {task?.title}
      </span>
      {task && <TaskStateLabel task={task} />}
    </Link>
  );
}
