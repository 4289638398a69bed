import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { TaskRow } from "~/api/generated";
import { useRows } from "~/api/hooks";
import { useOpenTask } from "~/components/navigation";
import { useQuestionSummary } from "~/components/questionSummary";
import { TaskStateLabel } from "~/components/StateLabel";
import { TimeAgo } from "~/components/Time";
import { OverviewSection } from "./OverviewSection";

const ACTIVE_STATES: readonly TaskRow["state"][] = ["running", "checking", "merging", "blocked"];
/** More tasks than these are only counted. */
const LISTED_MAX = 10;

/** What each agent does at the moment. */
export function AgentsNow({ run }: { run: string }) {
  const { t } = useTranslation();
  const tasks = Object.values(useRows(run, "task").data ?? {})
    .filter(({ state }) => ACTIVE_STATES.includes(state))
    .sort(
      (left, right) =>
        (left.agent ?? "").localeCompare(right.agent ?? "") || left.stateSinceAt - right.stateSinceAt,
    );
  const shown = tasks.slice(0, LISTED_MAX);
  return (
    <OverviewSection
      title={t("overview.team")}
      link={
        <Link
          to="/runs/$run/$place"
          params={{ run, place: "team" }}
          className="rounded text-accent hover:underline"
        >
          {t("place.team")}
        </Link>
      }
    >
      {tasks.length === 0 && <p className="px-4 py-3 text-soft">{t("team.empty")}</p>}
      <ul>
        {shown.map((task, index) => (
          <li key={task.id} className="border-line border-t">
            <ActiveTask run={run} task={task} isFirst={shown[index - 1]?.agent !== task.agent} />
          </li>
        ))}
      </ul>
      {tasks.length > shown.length && (
        <p className="border-line border-t px-4 py-2 text-soft">
          {t("gate.more", { count: tasks.length - shown.length })}
        </p>
      )}
    </OverviewSection>
  );
}

function ActiveTask({ run, task, isFirst }: { run: string; task: TaskRow; isFirst: boolean }) {
  const open = useOpenTask();
  const question = useQuestionSummary(run, task);
  const now = question?.text ?? task.step;
  return (
    <button
      type="button"
      data-task={task.id}
      onClick={() => open(task.id)}
      className="grid w-full grid-cols-[minmax(60px,110px)_minmax(0,1fr)_auto] gap-x-3 px-4 py-2 text-left outline-offset-[-2px] hover:bg-page max-md:grid-cols-[minmax(0,1fr)_auto] max-md:min-h-11"
    >
      <b className={`truncate font-semibold max-md:col-span-2 ${isFirst ? "" : "opacity-0 max-md:hidden"}`}>
        {task.agent ?? "–"}
      </b>
      <span className="flex min-w-0 flex-col">
        <span className="truncate">
          <code className="font-mono text-soft text-xs">{task.id}</code> {task.title}
        </span>
        <span className="flex min-w-0 gap-1.5 text-xs">
          <span className="shrink-0">
            <TaskStateLabel task={task} named />
          </span>
          {now && <span className="min-w-0 truncate text-soft">{now}</span>}
        </span>
      </span>
      <span className="whitespace-nowrap text-soft text-xs">
        <TimeAgo at={task.stateSinceAt} />
      </span>
    </button>
  );
}
