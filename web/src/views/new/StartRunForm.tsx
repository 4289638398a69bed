import { useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "~/api/http";
import { useAgents, useStartRun } from "~/api/plans";
import { Button } from "~/components/Button";
import { ErrorLine } from "~/components/ErrorLine";
import { toast } from "~/components/toasts";
import type { PlanDraft } from "./NewRun";
import { PlanErrors } from "./PlanErrors";

type Props = { project: string | null; draft: PlanDraft; onGo: (line: number) => void };

/** The options of a new run, and the button that starts it. */
export function StartRunForm({ project, draft, onGo }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const agents = useAgents(project);
  const start = useStartRun();
  const [picked, setAgent] = useState("");
  // Another project may not have this agent.
  const agent = agents.data?.some(({ name }) => name === picked) ? picked : "";
  const [optional, setOptional] = useState(false);
  const [inPlace, setInPlace] = useState(false);
  if (project === null) return <p className="text-soft">{t("newRun.noProject")}</p>;
  const startRun = (again: boolean) =>
    start.mutate(
      {
        project,
        ...(draft.path === null ? { text: draft.text, name: draft.name } : { path: draft.path }),
        ...(agent === "" ? {} : { agent }),
        optional,
        inPlace,
        again,
      },
      {
        onSuccess: ({ run, notes }) => {
          for (const note of notes) toast.done(note);
          void navigate({ to: "/runs/$run", params: { run } });
        },
      },
    );
  const { error } = start;
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
            onChange={(event) => setAgent(event.target.value)}
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
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={optional} onChange={(event) => setOptional(event.target.checked)} />
          {t("newRun.optional")}
        </label>
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={inPlace} onChange={(event) => setInPlace(event.target.checked)} />
          {t("newRun.inPlace")}
        </label>
        <Button
          variant="main"
          className="ml-auto"
          icon={<Play aria-hidden size={15} />}
          disabled={start.isPending}
          onClick={() => startRun(false)}
        >
          {t("newRun.start")}
        </Button>
      </div>
      <div aria-live="polite" className="flex flex-col gap-2 empty:-mt-3">
        {error && <ErrorLine error={error} />}
        {error instanceof ApiError && error.code === "plan-done" && (
          <Button className="self-start" disabled={start.isPending} onClick={() => startRun(true)}>
            {t("newRun.again")}
          </Button>
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
