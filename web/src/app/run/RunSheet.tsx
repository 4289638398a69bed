import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { RunRow } from "~/api/generated";
import { cleanRun, landRun } from "~/api/runs";
import { wish } from "~/api/wishes";
import { ConfirmSheet } from "~/components/ConfirmSheet";
import { toast } from "~/components/toasts";
import { toLanded } from "./toLanded";
import type { RunAct } from "./toRunActs";

type AskedAct = Exclude<RunAct, "pause" | "continue">;
type Props = { run: RunRow; act: AskedAct; onClose: () => void };

/** Says what will happen with a run, before it does. */
export function RunSheet({ run: { id, title }, act, onClose }: Props) {
  const { t } = useTranslation();
  const [isAll, setIsAll] = useState(false);
  const acts: Record<AskedAct, () => Promise<string | null>> = {
    land: async () => {
      const { key, values, isThere } = toLanded(await landRun(id, { isAll }), id);
      const words = t(`landed.${key}`, values);
      if (!isThere) return words;
      toast.done(words);
      return null;
    },
    clean: async () => {
      const { removed, left } = await cleanRun(id);
      const stay = left.map(([task, why]) => `${task}: ${why}`);
      toast.done(t("runAct.clean.removed", { count: removed.length }));
      return stay.length > 0 ? `${t("runAct.clean.stay")} ${stay.slice(0, 5).join("; ")}` : null;
    },
    cancel: async () => {
      await wish(id, "cancelRun");
      toast.done(t("runAct.cancel.done"));
      return null;
    },
  };
  return (
    <ConfirmSheet
      title={t(`runAct.${act}.title`, { title })}
      action={t(`runAct.${act}.name`)}
      look={act === "cancel" ? "danger" : "main"}
      act={acts[act]}
      onClose={onClose}
    >
      <p>{t(`runAct.${act}.what`)}</p>
      {act === "land" && (
        <label className="flex items-center gap-2 text-ink">
          <input type="checkbox" checked={isAll} onChange={(event) => setIsAll(event.target.checked)} />
          {t("runAct.land.all")}
        </label>
      )}
    </ConfirmSheet>
  );
}
