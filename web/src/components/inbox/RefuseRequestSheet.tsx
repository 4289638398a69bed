import { useTranslation } from "react-i18next";
import { sendCommand } from "~/api/commands";
import type { RequestRow } from "~/api/generated";
import { ConfirmSheet } from "~/components/ConfirmSheet";
import { toast } from "~/components/toasts";
import { CommentInput } from "./CommentInput";
import { useDraft } from "./drafts";

type Props = { run: string; request: RequestRow; onClose: () => void };

/** Confirms that a request is refused, with an optional reason for the agent. */
export default function RefuseRequestSheet({ run, request, onClose }: Props) {
  const { t } = useTranslation();
  const [reason, setReason] = useDraft(run, "refusal", request.id);
  return (
    <ConfirmSheet
      title={t("request.refuseTitle", { name: request.name })}
      confirmLabel={t("request.refuse")}
      onConfirm={async () => {
        const command = { request: request.id, reason: reason.trim() || t("request.refusedReason") };
        await sendCommand(run, { refuse: command });
        toast.done(t("request.refused"));
        setReason("");
        return null;
      }}
      onClose={onClose}
    >
      <p>{t(request.required ? "request.refuseRequired" : "request.refuseOptional")}</p>
      <CommentInput label={t("request.refuseReason")} value={reason} onChange={setReason} />
    </ConfirmSheet>
  );
}
