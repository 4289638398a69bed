import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAct } from "~/components/ask/useAct";
import { Button } from "~/components/Button";
import { Sheet } from "~/components/Sheet";

/** Tries a task again, with a word to the agent about what to do otherwise. */
export function RetrySheet({ run, task, onClose }: { run: string; task: string; onClose: () => void }) {
  const { t } = useTranslation();
  const { act, busy } = useAct(run);
  const [hint, setHint] = useState("");
  return (
    <Sheet title={t("retry.title", { task })} onClose={onClose}>
      <form
        className="flex flex-col gap-3 px-5 pb-5"
        onSubmit={async (event) => {
          event.preventDefault();
          const said = hint.trim();
          if (await act({ retryTask: { task, ...(said && { hint: said }) } }, t("retry.done"))) onClose();
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
          <Button look="main" type="submit" disabled={busy}>
            {t("action.retry")}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
