import type { TaskRow } from "~/api/generated";
import { useOpenTask } from "~/components/navigation";
import { QuestionLine } from "~/components/QuestionLine";
import { useQuestionSummary } from "~/components/questionSummary";
import { TaskStateLabel } from "~/components/StateLabel";
import { displayState, EDGE_COLORS, STATE_STYLES } from "~/components/state";
import { TimeAgo } from "~/components/Time";

type Props = { run: string; task: TaskRow; onFocus: () => void };

export function TaskListRow({ run, task, onFocus }: Props) {
  const open = useOpenTask();
  const question = useQuestionSummary(run, task);
  const { tone } = STATE_STYLES[displayState(task)];
  return (
    <button
      type="button"
      data-task={task.id}
      onFocus={onFocus}
      onClick={() => open(task.id)}
      className={`flex w-full flex-wrap items-center gap-x-3 gap-y-0.5 rounded-lg border border-line border-l-[3px] bg-panel px-3 py-2 text-left hover:border-faint ${EDGE_COLORS[tone]}`}
    >
      <code className="font-mono font-semibold text-soft text-xs">{task.id}</code>
      <b dir="auto" className="min-w-0 flex-1 truncate text-left font-semibold max-md:basis-[70%]">
        {task.title}
      </b>
      {task.agent && <span className="max-w-40 truncate text-soft text-xs">{task.agent}</span>}
      <TaskStateLabel task={task} named />
      <span className="text-right text-faint text-xs max-md:ml-auto md:w-24">
        <TimeAgo at={task.stateSinceAt} />
      </span>
      {question && <QuestionLine question={question} className="w-full truncate bg-transparent!" />}
    </button>
  );
}
