import { useState } from "react";
import { useTranslation } from "react-i18next";
import { sendCommand } from "~/api/commands";
import type { RunRow } from "~/api/generated";
import { deleteFinishedWorktrees, landRun } from "~/api/runs";
import { ConfirmSheet } from "~/components/ConfirmSheet";
import { toast } from "~/components/toasts";
import type { RunActionId } from "./availableRunActions";
import { landMessages, lastLines } from "./landMessage";

type ConfirmedActionId = Exclude<RunActionId, "pause" | "continue">;
type Props = { run: RunRow; action: ConfirmedActionId; onClose: () => void };

/** Confirms an action on a run. */
export function RunActionSheet({ run: { id, title }, action, onClose }: Props) {
  const { t } = useTranslation();
  const [isAll, setIsAll] = useState(false);
  const actions: Record<ConfirmedActionId, () => Promise<string | null>> = {
    land: async () => {
      const landed = await landRun(id, { isAll });
      const { messages, isMerged } = landMessages(landed);
      let message = messages.map(({ key, values }) => t(`mergeResult.${key}`, values)).join(" ");
      if (landed.type === "checkNotRun") {
        const reason = t(`checks.obstacle.${landed.obstacle.type}`, { ...landed.obstacle });
        message = `${message} ${reason}\n${lastLines(landed.output)}`;
      }
      if (!isMerged) return message;
      toast.done(message);
      return null;
    },
    clean: async () => {
      const { removedTasks, keptTasks } = await deleteFinishedWorktrees(id);
      const kept = keptTasks.map(([task, reason]) => `${task}: ${reason}`);
      toast.done(t("runAction.clean.removed", { count: removedTasks.length }));
      return kept.length > 0 ? `${t("runAction.clean.kept")} ${kept.slice(0, 5).join("; ")}` : null;
    },
    cancel: async () => {
      await sendCommand(id, "cancelRun");
      toast.done(t("runAction.cancel.done"));
      return null;
    },
  };
  return (
    <ConfirmSheet
      title={t(`runAction.${action}.title`, { title })}
      confirmLabel={t(`runAction.${action}.name`)}
      variant={action === "cancel" ? "danger" : "main"}
      onConfirm={actions[action]}
      onClose={onClose}
    >
      <p>{t(`runAction.${action}.effect`)}</p>
      {action === "land" && (
        <label className="flex items-center gap-2 text-ink">
          <input type="checkbox" checked={isAll} onChange={(event) => setIsAll(event.target.checked)} />
          {t("runAction.land.all")}
        </label>
      )}
    </ConfirmSheet>
  );
}
