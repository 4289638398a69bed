import { Square } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { SessionRow } from "~/api/generated";
import { stopSession } from "~/api/sessions";
import { Button } from "~/components/Button";
import { ConfirmSheet } from "~/components/ConfirmSheet";
import { toast } from "~/components/toasts";

/** Stops the process of a session after a confirmation. */
export function StopSessionButton({ run, session }: { run: string; session: SessionRow }) {
  const { t } = useTranslation();
  const [isConfirming, setIsConfirming] = useState(false);
  if (!session.actions.includes("stop")) return null;
  const stop = async () => {
    await stopSession(run, session.id);
    toast.done(t("stopSession.done", { session: session.id }));
    return null;
  };
  return (
    <>
      <Button icon={<Square aria-hidden size={13} />} onClick={() => setIsConfirming(true)}>
        {t("stopSession.name")}
      </Button>
      {isConfirming && (
        <ConfirmSheet
          title={t("stopSession.title", { session: session.id })}
          confirmLabel={t("stopSession.name")}
          onConfirm={stop}
          onClose={() => setIsConfirming(false)}
        >
          <p>{t("stopSession.effect")}</p>
        </ConfirmSheet>
      )}
    </>
  );
}
