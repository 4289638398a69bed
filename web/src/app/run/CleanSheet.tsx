import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { RunRow } from "~/api/generated";
import { deleteFinishedWorktrees } from "~/api/runs";
import { Button } from "~/components/Button";
import { Checkbox } from "~/components/Checkbox";
import { ErrorLine } from "~/components/ErrorLine";
import { Sheet } from "~/components/Sheet";
import { CleanupReportView } from "./CleanupReportView";

type Props = { run: RunRow; onClose: () => void };

/** Deletes finished worktrees, and branches and refs of landed work if wanted; then lists what was deleted and kept. */
export function CleanSheet({ run: { id, title, endedAt }, onClose }: Props) {
  const { t } = useTranslation();
  const [isWithRefs, setIsWithRefs] = useState(false);
  const clean = useMutation({ mutationFn: () => deleteFinishedWorktrees(id, { isWithRefs }) });
  const hasEnded = endedAt !== null;
  return (
    <Sheet
      title={clean.data ? t("runAction.clean.name") : t("runAction.clean.title", { title })}
      onClose={onClose}
    >
      <div className="flex flex-col gap-3 px-5 pb-5">
        {!clean.data && (
          <>
            <p className="text-soft">{t("runAction.clean.effect")}</p>
            <Checkbox isChecked={isWithRefs && hasEnded} isDisabled={!hasEnded} onChange={setIsWithRefs}>
              {t("runAction.clean.refs")}
            </Checkbox>
            <p className="text-soft text-xs">
              {hasEnded ? t("runAction.clean.refsEffect") : t("runAction.clean.refsLater")}
            </p>
          </>
        )}
        <div aria-live="polite" className="flex flex-col gap-1 empty:hidden">
          {clean.data && <CleanupReportView report={clean.data} />}
          {clean.error && <ErrorLine error={clean.error} />}
        </div>
        <div className="flex justify-end gap-2">
          {clean.data ? (
            <Button variant="main" onClick={onClose}>
              {t("action.close")}
            </Button>
          ) : (
            <>
              <Button onClick={onClose}>{t("action.back")}</Button>
              <Button
                variant="main"
                disabled={clean.isPending}
                aria-busy={clean.isPending}
                onClick={() => clean.mutate()}
              >
                {clean.isPending ? t("action.working") : t("runAction.clean.name")}
              </Button>
            </>
          )}
        </div>
      </div>
    </Sheet>
  );
}
