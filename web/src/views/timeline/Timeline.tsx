import { useNavigate, useSearch } from "@tanstack/react-router";
import { History } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useRows } from "~/api/hooks";
import { TOPICS } from "~/components/eventTopics";
import { Notice } from "~/components/Notice";
import type { RunSearch } from "~/components/navigation";
import { QueryFallback } from "~/components/QueryFallback";
import { CallList } from "./CallList";
import { EventList } from "./EventList";
import { QuestionHistory } from "./QuestionHistory";
import { toQuestionTimelines, toTimelineRows } from "./toTimeline";

/** The events of a run, latest first, and the history of each question. */
export function Timeline({ run }: { run: string }) {
  const { t } = useTranslation();
  const { topic, detail = false } = useSearch({ strict: false });
  const navigate = useNavigate();
  const setSearch = (next: Pick<RunSearch, "topic" | "detail">) =>
    void navigate({ to: ".", search: (search) => ({ ...search, ...next }), replace: true });
  const timeline = useRows(run, "timeline");
  const questions = useRows(run, "question");
  const events = useMemo(
    () => toTimelineRows(timeline.data ?? {}, topic === "calls" ? null : (topic ?? null), detail),
    [timeline.data, topic, detail],
  );
  const questionTimelines = useMemo(
    () => toQuestionTimelines(questions.data ?? {}, timeline.data ?? {}),
    [questions.data, timeline.data],
  );
  if (!timeline.data || !questions.data) return <QueryFallback queries={[timeline, questions]} />;
  const showsQuestions = questionTimelines.length > 0 && topic === "question";
  return (
    <div className="@container h-full">
      <div className="flex h-full min-h-0 @min-[1100px]:flex-row flex-col gap-4 p-4">
        {showsQuestions && (
          <section
            aria-labelledby="questions"
            className="flex max-h-[38%] @min-[1100px]:max-h-none @min-[1100px]:w-[380px] shrink-0 flex-col overflow-y-auto"
          >
            <h2 id="questions" className="mb-2 font-semibold">
              {t("timeline.questions")}{" "}
              <span className="font-normal text-soft">{questionTimelines.length}</span>
            </h2>
            <ul className="grid @min-[1100px]:grid-cols-1 @min-[640px]:grid-cols-2 items-start gap-2">
              {questionTimelines.map((timeline) => (
                <li key={timeline.question.id}>
                  <QuestionHistory timeline={timeline} />
                </li>
              ))}
            </ul>
          </section>
        )}
        <section className="flex min-h-0 min-w-0 flex-1 flex-col">
          <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1">
            <fieldset className="flex flex-wrap gap-1">
              <legend className="sr-only">{t("timeline.filter")}</legend>
              {[undefined, ...TOPICS, "calls" as const].map((choice) => (
                <button
                  key={choice ?? "all"}
                  type="button"
                  aria-pressed={topic === choice}
                  onClick={() => setSearch({ topic: choice })}
                  className="rounded-full border border-line px-2.5 py-0.5 text-soft aria-pressed:border-ink aria-pressed:bg-panel aria-pressed:text-ink max-md:min-h-11"
                >
                  {t(`timeline.topic.${choice ?? "all"}`)}
                </button>
              ))}
            </fieldset>
            {topic !== "calls" && (
              <label className="flex items-center gap-2 text-soft max-md:min-h-11">
                <input
                  type="checkbox"
                  checked={detail}
                  onChange={(event) => setSearch({ detail: event.target.checked || undefined })}
                />
                {t("timeline.detail")}
              </label>
            )}
          </div>
          {topic === "calls" ? (
            <CallList run={run} />
          ) : events.length === 0 ? (
            <Notice title={t("timeline.empty")} icon={<History aria-hidden size={22} />} />
          ) : (
            <EventList run={run} events={events} />
          )}
        </section>
      </div>
    </div>
  );
}
