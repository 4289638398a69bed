import { useTranslation } from "react-i18next";
import type { PhaseRow, TaskRow } from "~/api/generated";
import { useRows } from "~/api/hooks";
import { AskedLine } from "~/components/AskedLine";
import { useAsked } from "~/components/asked";
import { useOpening } from "~/components/opening";
import { StateSign } from "~/components/StateSign";
import { EDGE, SIGNS, shownState } from "~/components/state";
import { Ago } from "~/components/Time";
import { Unready } from "~/components/Unready";
import type { RunViewProps } from "../views";
import { toPhases } from "./toPhases";

/** All tasks of a run under their phases, for small screens and for reading. */
export default function TaskList({ run }: RunViewProps) {
  const tasks = useRows(run, "task");
  const phases = useRows(run, "phase");
  if (!tasks.data || !phases.data) return <Unready needed={[tasks, phases]} />;
  return (
    <div className="mx-auto flex max-w-4xl flex-col gap-5 p-4">
      {toPhases(phases.data, tasks.data).map(({ phase, tasks }) => (
        <Phase key={phase.number} run={run} phase={phase} tasks={tasks} />
      ))}
    </div>
  );
}

function Phase({ run, phase, tasks }: { run: string; phase: PhaseRow; tasks: TaskRow[] }) {
  const { t } = useTranslation();
  return (
    <section>
      <h2 className="mb-1.5 font-semibold text-soft text-sm">
        {phase.number} {phase.name}{" "}
        <span className="font-normal text-faint">
          · {t(`phase.${phase.state}`)} · {t("run.done", { done: phase.tasks.done, count: phase.nTasks })}
        </span>
      </h2>
      <ul className="flex flex-col gap-1.5">
        {tasks.map((task) => (
          <li key={task.id}>
            <TaskLine run={run} task={task} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function TaskLine({ run, task }: { run: string; task: TaskRow }) {
  const opening = useOpening();
  const asked = useAsked(run, task);
  const { tone } = SIGNS[shownState(task)];
  return (
    <button
      type="button"
      data-task={task.id}
      {...opening(task.id)}
      className={`flex w-full flex-wrap items-center gap-x-3 gap-y-0.5 rounded-lg border border-line border-l-[3px] bg-panel px-3 py-2 text-left hover:border-faint ${EDGE[tone]}`}
    >
      <code className="font-mono font-semibold text-soft text-xs">{task.id}</code>
      <b dir="auto" className="min-w-0 flex-1 truncate text-left font-semibold max-md:basis-[70%]">
        {task.title}
      </b>
      {task.agent && <span className="max-w-40 truncate text-soft text-xs">{task.agent}</span>}
      <StateSign task={task} named />
      <span className="text-right text-faint text-xs max-md:ml-auto md:w-24">
        <Ago at={task.stateSinceAt} />
      </span>
      {asked && <AskedLine asked={asked} look="w-full truncate bg-transparent!" />}
    </button>
  );
}
