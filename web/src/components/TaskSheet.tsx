import { useTranslation } from "react-i18next";
import type { Command } from "~/api/generated";
import { wish } from "~/api/wishes";
import { ConfirmSheet } from "./ConfirmSheet";
import { toast } from "./toasts";

/** What is done with a task that can't be taken back. */
export type TaskAct = "skip" | "cancel" | "markFailed" | "rewind";

type Props = {
  run: string;
  task: string;
  act: TaskAct;
  what: Command;
  onDone?: () => void;
  onClose: () => void;
};

/** Says what will happen with a task, before it does. */
export default function TaskSheet({ run, task, act, what, onDone, onClose }: Props) {
  const { t } = useTranslation();
  return (
    <ConfirmSheet
      title={t(`taskAct.${act}.title`, { task })}
      action={t(`taskAct.${act}.name`)}
      act={async () => {
        await wish(run, what);
        toast.done(t(`taskAct.${act}.done`));
        onDone?.();
        return null;
      }}
      onClose={onClose}
    >
      <p>{t(`taskAct.${act}.what`)}</p>
    </ConfirmSheet>
  );
}
