import { useTranslation } from "react-i18next";
import { useTurns } from "~/api/hooks";
import { ClockTime } from "~/components/Time";
import { lastWords } from "./toLastWords";

/** What the agent of a task said last, in its own words. */
export function LastWords({ run, task }: { run: string; task: string }) {
  const { t } = useTranslation();
  const turns = useTurns(run, task).data;
  const last = turns && lastWords(turns);
  if (!last) return null;
  return (
    <figure className="flex flex-col gap-0.5 border-line border-l-2 pl-3">
      <figcaption className="text-soft text-xs">
        {t("escalation.lastWords", { agent: last.agent })} · <ClockTime at={last.sentAt} />
      </figcaption>
      <blockquote dir="auto" className="whitespace-pre-wrap break-words">
        {last.text}
      </blockquote>
    </figure>
  );
}
