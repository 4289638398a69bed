import { Square } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { SessionRow } from "~/api/generated";
import { stopSession } from "~/api/session";
import { Button } from "~/components/Button";
import { ConfirmSheet } from "~/components/ConfirmSheet";
import { toast } from "~/components/toasts";

/** Ends the process of a session, once somebody has read what that means. */
export function StopSession({ run, session }: { run: string; session: SessionRow }) {
  const { t } = useTranslation();
  const [isAsked, setIsAsked] = useState(false);
  // Jangdan itself has no process, and neither has what was ended to wait.
  if (session.agent === null || session.endedAt !== null || session.park === "cold") return null;
  const stop = async () => {
    await stopSession(run, session.id);
    toast.done(t("stopSession.done", { session: session.id }));
    return null;
  };
  return (
    <>
      <Button icon={<Square aria-hidden size={13} />} onClick={() => setIsAsked(true)}>
        {t("stopSession.name")}
      </Button>
      {isAsked && (
        <ConfirmSheet
          title={t("stopSession.title", { session: session.id })}
          action={t("stopSession.name")}
          act={stop}
          onClose={() => setIsAsked(false)}
        >
          <p>{t("stopSession.what")}</p>
        </ConfirmSheet>
      )}
    </>
  );
}
