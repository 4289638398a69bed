import { useTranslation } from "react-i18next";
import { sendCommand } from "~/api/commands";
import type { UserCommand } from "~/api/generated";
import { ConfirmSheet } from "./ConfirmSheet";
import { toast } from "./toasts";

/** Actions on a task that cannot be undone. */
export type ConfirmedTaskAction = "skip" | "cancel" | "markFailed" | "waive" | "rewind";

type Props = {
  run: string;
  task: string;
  action: ConfirmedTaskAction;
  command: UserCommand;
  onDone?: () => void;
  onClose: () => void;
};

/** Confirms an action on a task. */
export default function TaskActionSheet({ run, task, action, command, onDone, onClose }: Props) {
  const { t } = useTranslation();
  return (
    <ConfirmSheet
      title={t(`taskAction.${action}.title`, { task })}
      confirmLabel={t(`taskAction.${action}.name`)}
      onConfirm={async () => {
        await sendCommand(run, command);
        toast.done(t(`taskAction.${action}.done`));
        onDone?.();
        return null;
      }}
      onClose={onClose}
    >
      <p>{t(`taskAction.${action}.effect`)}</p>
    </ConfirmSheet>
  );
}
