import { useTranslation } from "react-i18next";
import { sendCommand } from "~/api/commands";
import type { RunRow } from "~/api/generated";
import { ConfirmSheet } from "~/components/ConfirmSheet";
import { toast } from "~/components/toasts";

type Props = { run: RunRow; onClose: () => void };

/** Confirms that a run is cancelled. */
export function CancelRunSheet({ run: { id, title }, onClose }: Props) {
  const { t } = useTranslation();
  const cancel = async () => {
    await sendCommand(id, "cancelRun");
    toast.done(t("runAction.cancel.done"));
    return null;
  };
  return (
    <ConfirmSheet
      title={t("runAction.cancel.title", { title })}
      confirmLabel={t("runAction.cancel.name")}
      onConfirm={cancel}
      onClose={onClose}
    >
      <p>{t("runAction.cancel.effect")}</p>
    </ConfirmSheet>
  );
}
