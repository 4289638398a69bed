import { useTranslation } from "react-i18next";
import type { GateTask } from "~/api/generated";
import { marksText } from "~/components/marks";
import { useOpenTask } from "~/components/navigation";

type Props = {
  tasks: readonly GateTask[];
  chosen: ReadonlySet<string>;
  /** `null` if no decision is needed. */
  onChoose: ((chosen: ReadonlySet<string>) => void) | null;
};

/** The tasks of a phase; those that are chosen are the ones for which changes are requested. */
export function ReviewTasks({ tasks, chosen, onChoose }: Props) {
  const { t } = useTranslation();
  const openTask = useOpenTask();
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChoose?.(next);
  };
  return (
    <ul className="flex flex-col">
      {tasks.map(({ id, title, state, marks }) => {
        const isProved = state === "done" && marks.length === 0;
        const notes = [state === "done" ? "" : t(`state.${state}`), marksText(t, marks)].filter(Boolean);
        return (
          <li key={id} className="flex items-start gap-2 border-line border-b py-1.5 max-md:min-h-11">
            {onChoose && (
              <input
                type="checkbox"
                checked={chosen.has(id)}
                onChange={() => toggle(id)}
                aria-label={t("review.chooseTask", { task: id })}
                className="mt-1 max-md:size-5"
              />
            )}
            <span className="flex min-w-0 flex-1 flex-col">
              <button
                type="button"
                onClick={() => openTask(id, "changes")}
                className="min-w-0 rounded text-left hover:underline"
              >
                <code className="font-mono text-soft text-xs">{id}</code> {title}
              </button>
              <span className={`text-xs ${isProved ? "text-done" : "text-soft"}`}>
                {isProved ? `✓ ${t("proof.checked")}` : notes.join(" · ")}
              </span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}
