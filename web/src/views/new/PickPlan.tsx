import type { UseQueryResult } from "@tanstack/react-query";
import { FileUp, FolderOpen } from "lucide-react";
import { type ChangeEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { PlanFile } from "~/api/generated";
import { Refusal } from "~/api/http";
import { readPlan } from "~/api/plans";
import { Button } from "~/components/Button";
import { ConfirmSheet } from "~/components/ConfirmSheet";
import { ProblemLine } from "~/components/ProblemLine";
import { toast } from "~/components/toasts";
import type { Draft } from "./NewRun";

/** A plan larger than this is no text that somebody pastes. */
const PLAN_BYTES_MAX = 1 << 20;
const BOX = "min-h-8 min-w-0 max-w-full rounded-lg border border-line bg-raise px-2 max-md:min-h-10";

type Props = {
  projects: UseQueryResult<{ name: string; folder: string }[]>;
  project: string | null;
  onProject: (folder: string) => void;
  plans: UseQueryResult<PlanFile[]>;
  draft: Draft;
  onDraft: (draft: Draft) => void;
};

/** Where the run is to be, and where its plan comes from: a file of the project, one of this device, or the box below. */
export function PickPlan({ projects, project, onProject, plans, draft, onDraft }: Props) {
  const { t } = useTranslation();
  const file = useRef<HTMLInputElement>(null);
  const [offered, setOffered] = useState<Draft | null>(null);
  /** What somebody has written is not thrown away without a word. */
  const offer = (plan: Draft) => (draft.isWritten ? setOffered(plan) : onDraft(plan));
  const upload = async (event: ChangeEvent<HTMLInputElement>) => {
    const picked = event.target.files?.[0];
    event.target.value = "";
    if (!picked) return;
    try {
      if (picked.size > PLAN_BYTES_MAX) throw tooLarge(t("new.tooLarge", { name: picked.name }));
      offer({ name: picked.name, text: await picked.text(), path: null, isWritten: false });
    } catch (error) {
      toast.failed(error);
    }
  };
  const pick = async (path: string) => {
    if (project === null) return;
    // The text of the file stays, and is a text of one's own from now on.
    if (path === "") return onDraft({ ...draft, path: null });
    try {
      const plan = await readPlan(project, path);
      offer({ name: plan.path, text: plan.text, path: plan.path, isWritten: false });
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
      {projects.error && (
        <ProblemLine
          what={t("new.noProjects")}
          error={projects.error}
          retry={() => void projects.refetch()}
        />
      )}
      {plans.error && (
        <ProblemLine what={t("new.noPlans")} error={plans.error} retry={() => void plans.refetch()} />
      )}
      {projects.isLoading && (
        <span role="status" className="text-soft">
          {t("said.loading")}
        </span>
      )}
      {projects.data && projects.data.length > 0 && (
        <label className="flex min-w-0 flex-col gap-1">
          <span className="text-soft text-xs">{t("new.project")}</span>
          <select className={BOX} value={project ?? ""} onChange={(event) => onProject(event.target.value)}>
            {projects.data.map(({ name, folder }) => (
              <option key={folder} value={folder}>
                {name} ({folder})
              </option>
            ))}
          </select>
        </label>
      )}
      {plans.isLoading && (
        <span role="status" className="text-soft">
          {t("new.lookingForPlans")}
        </span>
      )}
      {plans.data && plans.data.length > 0 && (
        <label className="flex min-w-0 flex-col gap-1">
          <span className="text-soft text-xs">{t("new.plan")}</span>
          <select
            className={BOX}
            value={draft.path ?? ""}
            onChange={(event) => void pick(event.target.value)}
          >
            <option value="">{t("new.ownText")}</option>
            {plans.data.map(({ path }) => (
              <option key={path} value={path}>
                {path}
              </option>
            ))}
          </select>
        </label>
      )}
      <input
        ref={file}
        type="file"
        hidden
        accept=".md,.markdown,.json,.txt"
        onChange={(event) => void upload(event)}
      />
      <Button icon={<FileUp aria-hidden size={15} />} onClick={() => file.current?.click()}>
        {t("new.pick")}
      </Button>
      {draft.text.trim() === "" && (
        <Button
          look="quiet"
          icon={<FolderOpen aria-hidden size={15} />}
          onClick={() =>
            onDraft({ name: "TASKS.md", text: t("new.exampleText"), path: null, isWritten: false })
          }
        >
          {t("new.example")}
        </Button>
      )}
      {offered && (
        <ConfirmSheet
          title={t("new.replace.title")}
          action={t("new.replace.name")}
          act={async () => {
            onDraft(offered);
            return null;
          }}
          onClose={() => setOffered(null)}
        >
          <p>{t("new.replace.what", { name: offered.name })}</p>
        </ConfirmSheet>
      )}
    </div>
  );
}

const tooLarge = (detail: string) => new Refusal(413, detail, "", [], "too-large");
