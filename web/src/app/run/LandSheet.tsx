import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { RunRow } from "~/api/generated";
import { type LandOptions, landRun } from "~/api/runs";
import { Button } from "~/components/Button";
import { Checkbox } from "~/components/Checkbox";
import { ErrorLine } from "~/components/ErrorLine";
import { Sheet } from "~/components/Sheet";
import { toast } from "~/components/toasts";
import { LandOutcomeView } from "./LandOutcomeView";
import { landMessage } from "./landMessage";
import { toLandOutcome } from "./toLandOutcome";

type Props = { run: RunRow; onClose: () => void };

/** Merges the results of a run into a branch, after a preview if wanted. */
export function LandSheet({ run: { id, title }, onClose }: Props) {
  const { t } = useTranslation();
  const [options, setOptions] = useState<LandOptions>({ isAll: false, into: "", isSquash: false });
  const land = useMutation({
    mutationFn: async (isDryRun: boolean) => toLandOutcome(await landRun(id, { ...options, isDryRun })),
    onSuccess: (outcome) => {
      if (!outcome.isMerged) return;
      toast.done(landMessage(t, outcome));
      onClose();
    },
  });
  const change = (changed: Partial<LandOptions>) => {
    setOptions({ ...options, ...changed });
    // The outcome belongs to the options that were sent.
    land.reset();
  };
  const isMerging = land.isPending && land.variables === false;
  return (
    <Sheet title={t("runAction.land.title", { title })} onClose={onClose}>
      <div className="flex flex-col gap-3 px-5 pb-5">
        <p className="text-soft">{t("runAction.land.effect")}</p>
        <label className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="text-soft">{t("runAction.land.into")}</span>
          <input
            value={options.into}
            placeholder={t("runAction.land.intoDefault")}
            spellCheck={false}
            autoCapitalize="off"
            onChange={(event) => change({ into: event.target.value })}
            className="min-h-8 min-w-40 flex-1 rounded-lg border border-line bg-raise px-2.5 font-mono placeholder:font-sans placeholder:text-faint max-md:min-h-10 max-md:text-base"
          />
        </label>
        <Checkbox isChecked={options.isSquash} onChange={(isSquash) => change({ isSquash })}>
          {t("runAction.land.squash")}
        </Checkbox>
        <Checkbox isChecked={options.isAll} onChange={(isAll) => change({ isAll })}>
          {t("runAction.land.all")}
        </Checkbox>
        <div aria-live="polite" className="flex flex-col gap-1 empty:hidden">
          {land.data && !land.isPending && <LandOutcomeView outcome={land.data} />}
          {land.error && <ErrorLine error={land.error} />}
        </div>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>{t("action.back")}</Button>
          <Button disabled={land.isPending} onClick={() => land.mutate(true)}>
            {land.isPending && !isMerging ? t("action.working") : t("runAction.land.preview")}
          </Button>
          <Button
            variant="main"
            disabled={land.isPending}
            aria-busy={isMerging}
            onClick={() => land.mutate(false)}
          >
            {isMerging ? t("action.working") : t("runAction.land.name")}
          </Button>
        </div>
      </div>
    </Sheet>
  );
}
