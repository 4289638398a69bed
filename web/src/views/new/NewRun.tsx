import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCheck, usePlans, useProjects } from "~/api/plans";
import { ProblemLine } from "~/components/ProblemLine";
import { Diagnostics } from "./Diagnostics";
import { PickPlan } from "./PickPlan";
import { PlanText } from "./PlanText";
import { StartRun } from "./StartRun";

/** A plan as it stands in the box. */
export type Draft = {
  name: string;
  text: string;
  /** The file of the project that has the same text. */
  path: string | null;
  /** Whether somebody has written in it, which is lost where another plan takes its place. */
  isWritten: boolean;
};

/** How long one may type before the plan is read again. */
const PAUSE_MS = 350;

/** A new run: a plan is picked or pasted, and read while it is typed, with every mistake where it is. */
export default function NewRun() {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<string | null>(null);
  const [draft, setDraft] = useState<Draft>({
    name: "TASKS.md",
    text: "",
    path: null,
    isWritten: false,
  });
  const place = useRef<HTMLTextAreaElement>(null);
  const projects = useProjects();
  const project = chosen ?? projects.data?.[0]?.folder ?? null;
  const plans = usePlans(project);
  const check = useCheck();
  const { mutate, reset } = check;
  const { name, text } = draft;
  useEffect(() => {
    if (text.trim() === "") {
      reset();
      return;
    }
    const timer = setTimeout(() => mutate({ name, text }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [name, text, mutate, reset]);
  const go = (line: number) => {
    const box = place.current;
    if (!box) return;
    const lines = text.split("\n");
    const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    box.focus();
    box.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  };
  const isEmpty = text.trim() === "";
  const errors = check.data?.diagnostics.filter(({ severity }) => severity === "error").length ?? 0;
  return (
    <main id="main" className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-5xl flex-col gap-3 p-4 md:p-6">
        <h1 className="font-semibold text-lg">{t("new.title")}</h1>
        <p className="text-soft">{t("new.intro")}</p>
        <PickPlan
          projects={projects}
          project={project}
          onProject={(folder) => {
            setChosen(folder);
            setDraft((before) => ({ ...before, path: null }));
          }}
          plans={plans}
          draft={draft}
          onDraft={setDraft}
        />
        <PlanText
          text={text}
          onText={(changed) =>
            setDraft((before) => ({ ...before, text: changed, path: null, isWritten: changed.trim() !== "" }))
          }
          place={place}
          diagnostics={check.data?.diagnostics ?? []}
        />
        <div aria-live="polite" className="flex flex-col gap-2">
          {check.error && !isEmpty && (
            <ProblemLine error={check.error} retry={() => mutate({ name, text })} />
          )}
          {check.isPending && !isEmpty && <p className="text-soft">{t("new.reading")}</p>}
          {check.data && !isEmpty && (
            <>
              <p className={errors > 0 ? "font-medium text-fail" : "font-medium text-done"}>
                {errors > 0
                  ? t("new.errors", { count: errors })
                  : t("new.good", { tasks: check.data.tasks.length, phases: check.data.phases.length })}
              </p>
              <Diagnostics diagnostics={check.data.diagnostics} onGo={go} />
            </>
          )}
        </div>
        {check.data && errors === 0 && !isEmpty && projects.status === "success" && (
          <StartRun project={project} draft={draft} onGo={go} />
        )}
      </div>
    </main>
  );
}
