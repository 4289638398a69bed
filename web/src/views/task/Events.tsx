import { useTranslation } from "react-i18next";
import { useRows } from "~/api/hooks";
import { ErrorMessage } from "~/components/ErrorMessage";
import { useEventText } from "~/components/eventText";
import { Loading } from "~/components/Loading";
import { Notice } from "~/components/Notice";
import { ClockTime } from "~/components/Time";

/** The events of a task. Those about a question are highlighted. */
export default function Events({ run, task }: { run: string; task: string }) {
  const { t } = useTranslation();
  const eventText = useEventText();
  const timeline = useRows(run, "timeline");
  if (timeline.status === "pending") return <Loading />;
  if (timeline.status === "error")
    return <ErrorMessage error={timeline.error} retry={() => void timeline.refetch()} />;
  const rows = Object.values(timeline.data)
    .filter((row) => row.task === task)
    .sort((left, right) => left.sequence - right.sequence);
  if (rows.length === 0) return <Notice title={t("events.empty")} />;
  return (
    <ol className="px-4 py-3 md:px-5">
      {rows.map((row) => (
        <li
          key={row.sequence}
          className={`grid grid-cols-[auto_1fr] gap-x-3 border-l-2 py-1 pl-3 md:grid-cols-[minmax(64px,max-content)_8.5rem_1fr] ${row.question ? "border-ask bg-ask-soft" : "border-line"}`}
        >
          <span className="text-faint text-xs">
            <ClockTime at={row.happenedAt} />
          </span>
          <span
            title={row.kind}
            className={`truncate font-medium ${row.question ? "text-ask" : "text-soft"}`}
          >
            {t(`event.${row.kind}`, { defaultValue: row.kind })}
          </span>
          <span className="max-md:col-span-2">{eventText(row)}</span>
        </li>
      ))}
    </ol>
  );
}
