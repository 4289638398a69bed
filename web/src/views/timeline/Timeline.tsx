import { History } from "lucide-react";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useRows } from "~/api/hooks";
import { Said } from "~/components/Said";
import { Unready } from "~/components/Unready";
import { Lines } from "./Lines";
import { QuestionLife } from "./QuestionLife";
import { TOPICS, type Topic, toLines, toLives } from "./toTimeline";

/** What happened, the latest first, and how each question fared. */
export default function Timeline({ run }: { run: string }) {
  const { t } = useTranslation();
  const [topic, setTopic] = useState<Topic | null>(null);
  const timeline = useRows(run, "timeline");
  const questions = useRows(run, "question");
  const lines = useMemo(() => toLines(timeline.data ?? {}, topic), [timeline.data, topic]);
  const lives = useMemo(
    () => toLives(questions.data ?? {}, timeline.data ?? {}),
    [questions.data, timeline.data],
  );
  if (!timeline.data || !questions.data) return <Unready needed={[timeline, questions]} />;
  const showsLives = lives.length > 0 && (topic === null || topic === "question");
  return (
    <div className="@container h-full">
      <div className="flex h-full min-h-0 @min-[1100px]:flex-row flex-col gap-4 p-4">
        {showsLives && (
          <section
            aria-labelledby="lives"
            className="flex max-h-[38%] @min-[1100px]:max-h-none @min-[1100px]:w-[380px] shrink-0 flex-col overflow-y-auto"
          >
            <h2 id="lives" className="mb-2 font-semibold">
              {t("timeline.questions")} <span className="font-normal text-soft">{lives.length}</span>
            </h2>
            <ul className="grid @min-[1100px]:grid-cols-1 @min-[640px]:grid-cols-2 items-start gap-2">
              {lives.map((life) => (
                <li key={life.question.id}>
                  <QuestionLife life={life} />
                </li>
              ))}
            </ul>
          </section>
        )}
        <section className="flex min-h-0 min-w-0 flex-1 flex-col">
          <fieldset className="mb-2 flex flex-wrap gap-1">
            <legend className="sr-only">{t("timeline.filter")}</legend>
            {[null, ...TOPICS].map((choice) => (
              <button
                key={choice ?? "all"}
                type="button"
                aria-pressed={topic === choice}
                onClick={() => setTopic(choice)}
                className="rounded-full border border-line px-2.5 py-0.5 text-soft aria-pressed:border-ink aria-pressed:bg-panel aria-pressed:text-ink"
              >
                {t(`timeline.topic.${choice ?? "all"}`)}
              </button>
            ))}
          </fieldset>
          {lines.length === 0 ? (
            <Said title={t("timeline.empty")} icon={<History aria-hidden size={22} />} />
          ) : (
            <Lines lines={lines} />
          )}
        </section>
      </div>
    </div>
  );
}
