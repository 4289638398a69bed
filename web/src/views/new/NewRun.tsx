import { useMutation } from "@tanstack/react-query";
import { FileUp, FolderOpen } from "lucide-react";
import { type ChangeEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { isOffline, postJson, Refusal } from "~/api/http";
import { Button } from "~/components/Button";
import { Diagnostics } from "./Diagnostics";
import { PlanText } from "./PlanText";
import { StartRun } from "./StartRun";

export type Diagnostic = {
  severity: "error" | "warning";
  line: number;
  column: number;
  message: string;
  hint?: string | null;
};
export type Checked = { title: string; tasks: unknown[]; phases: unknown[]; diagnostics: Diagnostic[] };

/** A plan larger than this is refused by the server, too. */
const PLAN_BYTES_MAX = 1 << 20;
/** How long one may type before the plan is read again. */
const PAUSE_MS = 350;

/** A new run: a plan is picked or pasted, and read while it is typed, with every mistake where it is. */
export function NewRun() {
  const { t } = useTranslation();
  const [name, setName] = useState("TASKS.md");
  const [text, setText] = useState("");
  const place = useRef<HTMLTextAreaElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const check = useMutation({
    mutationFn: (plan: { name: string; text: string }) => postJson<Checked>("/api/plans/check", plan),
  });
  const { mutate, reset } = check;
  useEffect(() => {
    if (text.trim() === "") {
      reset();
      return;
    }
    const timer = setTimeout(() => mutate({ name, text }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [name, text, mutate, reset]);
  const pick = async (event: ChangeEvent<HTMLInputElement>) => {
    const picked = event.target.files?.[0];
    event.target.value = "";
    if (!picked || picked.size > PLAN_BYTES_MAX) return;
    setName(picked.name);
    setText(await picked.text());
  };
  const go = (line: number) => {
    const box = place.current;
    if (!box) return;
    const start =
      text
        .split("\n")
        .slice(0, line - 1)
        .join("\n").length + (line > 1 ? 1 : 0);
    const end = text.indexOf("\n", start);
    box.focus();
    box.setSelectionRange(start, end < 0 ? text.length : end);
  };
  const isEmpty = text.trim() === "";
  const errors = check.data?.diagnostics.filter(({ severity }) => severity === "error").length ?? 0;
  return (
    <main id="main" className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-5xl flex-col gap-3 p-4 md:p-6">
        <h1 className="font-semibold text-lg">{t("new.title")}</h1>
        <p className="text-soft">{t("new.intro")}</p>
        <div className="flex flex-wrap items-center gap-2">
          <input
            ref={file}
            type="file"
            hidden
            accept=".md,.markdown,.toml,.yaml,.yml,.json,.txt"
            onChange={(event) => void pick(event)}
          />
          <Button icon={<FileUp aria-hidden size={15} />} onClick={() => file.current?.click()}>
            {t("new.pick")}
          </Button>
          {isEmpty && (
            <Button
              look="quiet"
              icon={<FolderOpen aria-hidden size={15} />}
              onClick={() => setText(t("new.exampleText"))}
            >
              {t("new.example")}
            </Button>
          )}
          <code className="font-mono text-soft">{name}</code>
        </div>
        <PlanText text={text} onText={setText} place={place} diagnostics={check.data?.diagnostics ?? []} />
        <div aria-live="polite" className="flex flex-col gap-2">
          {check.error && !isEmpty && (
            <p className="text-fail">
              {isOffline(check.error) ? t("offline.hint") : check.error.message}{" "}
              {check.error instanceof Refusal && check.error.hint}
            </p>
          )}
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
        {check.data && errors === 0 && !isEmpty && <StartRun name={name} text={text} />}
      </div>
    </main>
  );
}
