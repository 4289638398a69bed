import { Link } from "@tanstack/react-router";
import { type ReactNode, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import type { TaskRow } from "~/api/generated";
import { useRow, useRows } from "~/api/hooks";
import { money, tokens } from "~/components/figures";
import { Markdown } from "~/components/Markdown";
import { StateSign } from "~/components/StateSign";
import { Ago, Lasted } from "~/components/Time";

/** What one wants to know about a task at a glance. */
export function TaskSide({ run, task }: { run: string; task: TaskRow }) {
  const { t } = useTranslation();
  const isWide = useWide();
  const detail = useRow(run, "taskDetail", task.id);
  const session = useRow(run, "session", task.session);
  const details = useRows(run, "taskDetail").data ?? {};
  const behind = Object.values(details)
    .filter((other) => other.dependsOn.includes(task.id))
    .map((other) => other.id);
  const all = (
    <>
      <Part title={t("task.work")}>
        <Line name={t("task.agent")}>{task.agent ?? "–"}</Line>
        {session && (
          <Line name={t("task.session")}>
            {t(`session.${session.park ?? session.state}`)} · <Ago at={session.stateSinceAt} />
          </Line>
        )}
        {session?.model && <Line name={t("task.model")}>{session.model}</Line>}
        {session?.contextPermille != null && (
          <Line name={t("task.context")}>{Math.round(session.contextPermille / 10)} %</Line>
        )}
        {task.progress !== null && <Line name={t("task.progress")}>{Math.round(task.progress * 100)} %</Line>}
        {task.startedAt && (
          <Line name={t("task.lasts")}>
            <Lasted from={task.startedAt} to={task.endedAt} />
          </Line>
        )}
        <Line name={t("task.tokens")}>{tokens(task.used.tokens)}</Line>
        <Line name={t("task.cost")}>{money(task.used.costMicros)}</Line>
        <Line name={t("task.priority")}>{t(`priority.${task.priority}`)}</Line>
      </Part>
      {(detail?.verify || task.proof) && (
        <Part title={t("tab.checks")}>
          {detail?.verify && (
            <code className="block break-words font-mono text-ink text-xs">{detail.verify}</code>
          )}
          {task.proof && <Line name={t("task.proof")}>{t(`proof.${task.proof}`)}</Line>}
        </Part>
      )}
      {detail && detail.dependsOn.length > 0 && (
        <Part title={t("task.waitsFor")}>
          {detail.dependsOn.map((id) => (
            <Other key={id} run={run} id={id} />
          ))}
        </Part>
      )}
      {behind.length > 0 && (
        <Part title={t("task.behind")}>
          {behind.map((id) => (
            <Other key={id} run={run} id={id} />
          ))}
        </Part>
      )}
      {detail && detail.acceptance.length > 0 && (
        <Part title={t("task.acceptance")}>
          <ul className="list-disc pl-4">
            {detail.acceptance.map((line) => (
              <li key={line}>
                <Markdown text={line} />
              </li>
            ))}
          </ul>
        </Part>
      )}
    </>
  );
  const look = "flex flex-col gap-4 overflow-y-auto px-4 py-4 text-sm text-soft";
  if (isWide) {
    return (
      <aside aria-label={t("task.about")} className={`w-[268px] shrink-0 border-line border-l ${look}`}>
        {all}
      </aside>
    );
  }
  return (
    <details className="shrink-0 border-line border-t">
      <summary className="cursor-pointer px-4 py-2 font-medium text-soft">{t("task.about")}</summary>
      <div className={`max-h-[45dvh] ${look}`}>{all}</div>
    </details>
  );
}

/** From this width on there is room beside the tabs. */
const WIDE = matchMedia("(min-width: 64rem)");

function useWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      WIDE.addEventListener("change", listener);
      return () => WIDE.removeEventListener("change", listener);
    },
    () => WIDE.matches,
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-1 font-semibold text-ink">{title}</h3>
      {children}
    </section>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <p className="flex justify-between gap-3 py-0.5">
      <span>{name}</span>
      <b className="text-right font-medium text-ink tabular-nums">{children}</b>
    </p>
  );
}

function Other({ run, id }: { run: string; id: string }) {
  const task = useRow(run, "task", id);
  return (
    <Link
      to="/runs/$run/tasks/$task"
      params={{ run, task: id }}
      search={(search) => ({ over: search.over })}
      className="flex justify-between gap-2 py-0.5 hover:text-ink hover:underline"
    >
      <span className="min-w-0 truncate">
        <code className="font-mono">{id}</code> {task?.title}
      </span>
      {task && <StateSign task={task} />}
    </Link>
  );
}
