import type { TaskRow } from "~/api/generated";
import { AskedLine } from "~/components/AskedLine";
import { useAsked } from "~/components/asked";
import { useOpening } from "~/components/opening";
import { StateSign } from "~/components/StateSign";
import { EDGE, SIGNS, shownState } from "~/components/state";
import { Ago } from "~/components/Time";

type Props = { run: string; task: TaskRow; onFocus: () => void };

export function TaskLine({ run, task, onFocus }: Props) {
  const opening = useOpening();
  const asked = useAsked(run, task);
  const { tone } = SIGNS[shownState(task)];
  return (
    <button
      type="button"
      data-task={task.id}
      onFocus={onFocus}
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
