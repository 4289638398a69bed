import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCheckPlan, usePlans, useProjects } from "~/api/plans";
import { ErrorLine } from "~/components/ErrorLine";
import { PlanEditor } from "./PlanEditor";
import { PlanErrors } from "./PlanErrors";
import { PlanPicker } from "./PlanPicker";
import { StartRunForm } from "./StartRunForm";

/** The plan in the text field. */
export type PlanDraft = {
  name: string;
  text: string;
  /** The file of the project with the same text. */
  path: string | null;
  /** Whether the user has edited it, so that replacing it loses text. */
  isEdited: boolean;
};

/** The plan is checked after a pause of this length in typing. */
const CHECK_DELAY_MS = 350;

/** Starts a run: a plan is picked or written, and checked while typing. */
export default function NewRun() {
  const { t } = useTranslation();
  const [pickedProject, setPickedProject] = useState<string | null>(null);
  const [draft, setDraft] = useState<PlanDraft>({
    name: "TASKS.md",
    text: "",
    path: null,
    isEdited: false,
  });
  const textarea = useRef<HTMLTextAreaElement>(null);
  const projects = useProjects();
  const project = pickedProject ?? projects.data?.[0]?.folder ?? null;
  const plans = usePlans(project);
  const check = useCheckPlan();
  const { mutate, reset } = check;
  const { name, text } = draft;
  useEffect(() => {
    if (text.trim() === "") {
      reset();
      return;
    }
    const timer = setTimeout(() => mutate({ name, text }), CHECK_DELAY_MS);
    return () => clearTimeout(timer);
  }, [name, text, mutate, reset]);
  const goToLine = (line: number) => {
    const box = textarea.current;
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
        <h1 className="font-semibold text-lg">{t("newRun.title")}</h1>
        <p className="text-soft">{t("newRun.intro")}</p>
        <PlanPicker
          projects={projects}
          project={project}
          onProject={(folder) => {
            setPickedProject(folder);
            setDraft((before) => ({ ...before, path: null }));
          }}
          plans={plans}
          draft={draft}
          onDraft={setDraft}
        />
        <PlanEditor
          text={text}
          onText={(changed) =>
            setDraft((before) => ({ ...before, text: changed, path: null, isEdited: changed.trim() !== "" }))
          }
          textarea={textarea}
          diagnostics={check.data?.diagnostics ?? []}
        />
        <div aria-live="polite" className="flex flex-col gap-2">
          {check.error && !isEmpty && <ErrorLine error={check.error} retry={() => mutate({ name, text })} />}
          {check.isPending && !isEmpty && <p className="text-soft">{t("newRun.checking")}</p>}
          {check.data && !isEmpty && (
            <>
              <p className={errors > 0 ? "font-medium text-fail" : "font-medium text-done"}>
                {errors > 0
                  ? t("newRun.errors", { count: errors })
                  : t("newRun.valid", {
                      tasks: t("newRun.tasks", { count: check.data.tasks.length }),
                      phases: t("newRun.phases", { count: check.data.phases.length }),
                    })}
              </p>
              <PlanErrors diagnostics={check.data.diagnostics} onGo={goToLine} />
            </>
          )}
        </div>
        {check.data && errors === 0 && !isEmpty && projects.status === "success" && (
          <StartRunForm project={project} draft={draft} checkedText={check.variables.text} onGo={goToLine} />
        )}
      </div>
    </main>
  );
}
