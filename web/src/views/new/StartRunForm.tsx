import { Link, useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { PlanStartRemark } from "~/api/generated";
import { ApiError } from "~/api/http";
import { type RunStart, useAgents, useStartPreview, useStartRun } from "~/api/plans";
import { Button } from "~/components/Button";
import { Checkbox } from "~/components/Checkbox";
import { ErrorLine } from "~/components/ErrorLine";
import type { PlanDraft } from "./NewRun";
import { PlanErrors } from "./PlanErrors";

type Props = {
  project: string | null;
  draft: PlanDraft;
  /** The text that was checked last. */
  checkedText: string;
  onGo: (line: number) => void;
};

/** The options of a new run that are on or off, in the order of their checkboxes. */
const OPTIONS = ["includeChanges", "open", "optional", "inPlace"] as const;

/** The options of a new run, what to know before it starts, and the button that starts it. */
export function StartRunForm({ project, draft, checkedText, onGo }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const agents = useAgents(project);
  const start = useStartRun();
  const [picked, setAgent] = useState("");
  // Another project may not have this agent.
  const agent = agents.data?.some(({ name }) => name === picked) ? picked : "";
  const [options, setOptions] = useState<Pick<RunStart, (typeof OPTIONS)[number]>>({});
  const plan = draft.path === null ? { text: checkedText, name: draft.name } : { path: draft.path };
  const request: RunStart | null =
    project === null ? null : { project, ...plan, ...(agent === "" ? {} : { agent }), ...options };
  const preview = useStartPreview(request);
  if (request === null) return <p className="text-soft">{t("newRun.noProject")}</p>;
  const change = (changed: Partial<typeof options>) => {
    setOptions({ ...options, ...changed });
    // The error belongs to the options that were sent.
    start.reset();
  };
  const startRun = (more: Pick<RunStart, "again" | "code">) =>
    start.mutate(
      { ...request, ...(draft.path === null && { text: draft.text }), ...more },
      { onSuccess: ({ run }) => void navigate({ to: "/runs/$run", params: { run } }) },
    );
  const error = start.error ?? preview.error;
  const remarks = preview.error ? [] : (preview.data?.remarks ?? []);
  return (
    <section
      aria-label={t("newRun.start")}
      className="flex flex-col gap-3 rounded-xl border border-line bg-panel px-4 py-3"
    >
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <label className="flex items-center gap-2">
          <span className="text-soft">{t("newRun.agent")}</span>
          <select
            className="min-h-8 rounded-lg border border-line bg-raise px-2 max-md:min-h-10"
            value={agent}
            onChange={(event) => {
              setAgent(event.target.value);
              start.reset();
            }}
          >
            <option value="">{t("newRun.defaultAgent")}</option>
            {agents.isLoading && <option disabled>{t("page.loading")}</option>}
            {(agents.data ?? []).map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
        {OPTIONS.map((option) => (
          <Checkbox
            key={option}
            isChecked={options[option] ?? false}
            onChange={(isChecked) => change({ [option]: isChecked })}
          >
            {t(`newRun.option.${option}`)}
          </Checkbox>
        ))}
        <Button
          variant="main"
          className="ml-auto"
          icon={<Play aria-hidden size={15} />}
          disabled={start.isPending}
          onClick={() => startRun({})}
        >
          {t("newRun.start")}
        </Button>
      </div>
      <div aria-live="polite" className="flex flex-col gap-2 empty:-mt-3">
        {remarks.length > 0 && <StartRemarks remarks={remarks} />}
        {error && <ErrorLine error={error} />}
        {error instanceof ApiError && error.code === "plan-done" && (
          <Button className="self-start" disabled={start.isPending} onClick={() => startRun({ again: true })}>
            {t("newRun.again")}
          </Button>
        )}
        {error instanceof ApiError && error.code === "code-required" && (
          <ConfirmationCodeForm isDisabled={start.isPending} onSend={(code) => startRun({ code })} />
        )}
        {agents.error && (
          <ErrorLine
            what={t("newRun.agentsFailed")}
            error={agents.error}
            retry={() => void agents.refetch()}
          />
        )}
        {error instanceof ApiError && error.diagnostics.length > 0 && (
          <PlanErrors diagnostics={error.diagnostics} onGo={onGo} />
        )}
      </div>
    </section>
  );
}

/** Asks for the code of a pasted plan with commands. */
function ConfirmationCodeForm({
  isDisabled,
  onSend,
}: {
  isDisabled: boolean;
  onSend: (code: string) => void;
}) {
  const { t } = useTranslation();
  const [code, setCode] = useState("");
  return (
    <form
      className="flex flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(code);
      }}
    >
      <label className="flex items-center gap-2">
        <span className="text-soft">{t("newRun.code")}</span>
        <input
          className="min-h-8 w-24 rounded-lg border border-line bg-raise px-2 max-md:min-h-10"
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </label>
      <Button type="submit" disabled={isDisabled || code === ""}>
        {t("newRun.startWithCode")}
      </Button>
    </form>
  );
}

function StartRemarks({ remarks }: { remarks: readonly PlanStartRemark[] }) {
  const { t } = useTranslation();
  return (
    <div data-remarks className="text-soft">
      <h2 className="font-medium text-ink">{t("newRun.remarks")}</h2>
      <ul className="list-disc pl-5">
        {remarks.map(({ text, run }) => (
          <li key={text} className="break-words">
            {text}{" "}
            {run !== null && (
              <Link to="/runs/$run" params={{ run }} className="underline hover:text-ink">
                {t("newRun.openRun", { run })}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
