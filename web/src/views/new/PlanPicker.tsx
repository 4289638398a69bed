import type { UseQueryResult } from "@tanstack/react-query";
import { FileUp, FolderOpen } from "lucide-react";
import { type ChangeEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { PlanFile } from "~/api/generated";
import { ApiError } from "~/api/http";
import { fetchPlanFile } from "~/api/plans";
import { Button } from "~/components/Button";
import { ConfirmSheet } from "~/components/ConfirmSheet";
import { ErrorLine } from "~/components/ErrorLine";
import { toast } from "~/components/toasts";
import type { PlanDraft } from "./NewRun";

/** The server accepts no larger plans. */
const PLAN_BYTES_MAX = 1 << 20;
const BOX = "min-h-8 min-w-0 max-w-full rounded-lg border border-line bg-raise px-2 max-md:min-h-10";

type Props = {
  projects: UseQueryResult<{ name: string; folder: string }[]>;
  project: string | null;
  onProject: (folder: string) => void;
  plans: UseQueryResult<PlanFile[]>;
  draft: PlanDraft;
  onDraft: (draft: PlanDraft) => void;
};

/** Picks the project and the plan: a file of the project, a file of this device, or the text field below. */
export function PlanPicker({ projects, project, onProject, plans, draft, onDraft }: Props) {
  const { t } = useTranslation();
  const file = useRef<HTMLInputElement>(null);
  const [replacement, setReplacement] = useState<PlanDraft | null>(null);
  /** Edited text is replaced only after a confirmation. */
  const replace = (plan: PlanDraft) => (draft.isEdited ? setReplacement(plan) : onDraft(plan));
  const upload = async (event: ChangeEvent<HTMLInputElement>) => {
    const picked = event.target.files?.[0];
    event.target.value = "";
    if (!picked) return;
    try {
      if (picked.size > PLAN_BYTES_MAX) throw tooLargeError(t("newRun.tooLarge", { name: picked.name }));
      replace({ name: picked.name, text: await picked.text(), path: null, isEdited: false });
    } catch (error) {
      toast.failed(error);
    }
  };
  const pick = async (path: string) => {
    if (project === null) return;
    // The text of the file stays, but no longer belongs to the file.
    if (path === "") return onDraft({ ...draft, path: null });
    try {
      const plan = await fetchPlanFile(project, path);
      replace({ name: plan.path, text: plan.text, path: plan.path, isEdited: false });
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
      {projects.error && (
        <ErrorLine
          what={t("newRun.projectsFailed")}
          error={projects.error}
          retry={() => void projects.refetch()}
        />
      )}
      {plans.error && (
        <ErrorLine what={t("newRun.plansFailed")} error={plans.error} retry={() => void plans.refetch()} />
      )}
      {projects.isLoading && (
        <span role="status" className="text-soft">
          {t("page.loading")}
        </span>
      )}
      {projects.data && projects.data.length > 0 && (
        <label className="flex min-w-0 flex-col gap-1">
          <span className="text-soft text-xs">{t("newRun.project")}</span>
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
          {t("newRun.loadingPlans")}
        </span>
      )}
      {plans.data && plans.data.length > 0 && (
        <label className="flex min-w-0 flex-col gap-1">
          <span className="text-soft text-xs">{t("newRun.plan")}</span>
          <select
            className={BOX}
            value={draft.path ?? ""}
            onChange={(event) => void pick(event.target.value)}
          >
            <option value="">{t("newRun.ownText")}</option>
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
        {t("newRun.pick")}
      </Button>
      {draft.text.trim() === "" && (
        <Button
          variant="quiet"
          icon={<FolderOpen aria-hidden size={15} />}
          onClick={() =>
            onDraft({ name: "TASKS.md", text: t("newRun.exampleText"), path: null, isEdited: false })
          }
        >
          {t("newRun.example")}
        </Button>
      )}
      {replacement && (
        <ConfirmSheet
          title={t("newRun.replace.title")}
          confirmLabel={t("newRun.replace.name")}
          onConfirm={async () => {
            onDraft(replacement);
            return null;
          }}
          onClose={() => setReplacement(null)}
        >
          <p>{t("newRun.replace.what", { name: replacement.name })}</p>
        </ConfirmSheet>
      )}
    </div>
  );
}

const tooLargeError = (detail: string) => new ApiError(413, detail, "", [], "too-large");
