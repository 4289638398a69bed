import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "~/components/Button";
import { useSendCommand } from "~/components/inbox/useSendCommand";
import { Sheet } from "~/components/Sheet";

type Props = { run: string; task: string; isRestart: boolean; onClose: () => void };

/** Retries a task, or restarts one in progress, with an optional hint for the agent. */
export function RetrySheet({ run, task, isRestart, onClose }: Props) {
  const { t } = useTranslation();
  const { send, busy } = useSendCommand(run);
  const [hint, setHint] = useState("");
  return (
    <Sheet title={t(isRestart ? "retry.restartTitle" : "retry.title", { task })} onClose={onClose}>
      <form
        className="flex flex-col gap-3 px-5 pb-5"
        onSubmit={async (event) => {
          event.preventDefault();
          const text = hint.trim();
          if (await send({ retryTask: { task, ...(text && { hint: text }) } }, t("retry.done"))) onClose();
        }}
      >
        <label className="flex flex-col gap-1.5">
          <span className="text-soft">{t("retry.hint")}</span>
          <textarea
            rows={3}
            value={hint}
            onChange={(event) => setHint(event.target.value)}
            className="rounded-lg border border-line bg-raise px-2.5 py-1.5"
          />
        </label>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("action.back")}</Button>
          <Button variant="main" type="submit" disabled={busy}>
            {t(isRestart ? "retry.restart" : "retry.retry")}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
