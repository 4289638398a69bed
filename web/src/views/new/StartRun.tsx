import { useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Refusal } from "~/api/http";
import { useAgents, useStart } from "~/api/plans";
import { Button } from "~/components/Button";
import { ProblemLine } from "~/components/ProblemLine";
import { toast } from "~/components/toasts";
import { Diagnostics } from "./Diagnostics";
import type { Draft } from "./NewRun";

type Props = { project: string | null; draft: Draft; onGo: (line: number) => void };

/** How a plan that is whole becomes a run: in the folder of the project, where its team is configured. */
export function StartRun({ project, draft, onGo }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const agents = useAgents(project);
  const start = useStart();
  const [picked, setAgent] = useState("");
  // Another project may not have it.
  const agent = agents.data?.some(({ name }) => name === picked) ? picked : "";
  const [optional, setOptional] = useState(false);
  const [inPlace, setInPlace] = useState(false);
  if (project === null) return <p className="text-soft">{t("new.noProject")}</p>;
  const begin = () =>
    start.mutate(
      {
        project,
        ...(draft.path === null ? { text: draft.text, name: draft.name } : { path: draft.path }),
        ...(agent === "" ? {} : { agent }),
        optional,
        inPlace,
      },
      {
        onSuccess: ({ run, notes }) => {
          for (const note of notes) toast.done(note);
          void navigate({ to: "/runs/$run", params: { run } });
        },
      },
    );
  const problem = start.error;
  return (
    <section
      aria-label={t("new.start")}
      className="flex flex-col gap-3 rounded-xl border border-line bg-panel px-4 py-3"
    >
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <label className="flex items-center gap-2">
          <span className="text-soft">{t("new.agent")}</span>
          <select
            className="min-h-8 rounded-lg border border-line bg-raise px-2 max-md:min-h-10"
            value={agent}
            onChange={(event) => setAgent(event.target.value)}
          >
            <option value="">{t("new.asConfigured")}</option>
            {agents.isLoading && <option disabled>{t("said.loading")}</option>}
            {(agents.data ?? []).map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={optional} onChange={(event) => setOptional(event.target.checked)} />
          {t("new.optional")}
        </label>
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={inPlace} onChange={(event) => setInPlace(event.target.checked)} />
          {t("new.inPlace")}
        </label>
        <Button
          look="main"
          className="ml-auto"
          icon={<Play aria-hidden size={15} />}
          disabled={start.isPending}
          onClick={begin}
        >
          {t("new.start")}
        </Button>
      </div>
      <div aria-live="polite" className="flex flex-col gap-2 empty:-mt-3">
        {problem && <ProblemLine error={problem} />}
        {agents.error && (
          <ProblemLine what={t("new.noAgents")} error={agents.error} retry={() => void agents.refetch()} />
        )}
        {problem instanceof Refusal && problem.mistakes.length > 0 && (
          <Diagnostics diagnostics={problem.mistakes} onGo={onGo} />
        )}
      </div>
    </section>
  );
}
