import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./Button";
import { ErrorLine } from "./ErrorLine";
import { Sheet } from "./Sheet";

type Props = {
  title: string;
  /** The consequences of the action. */
  children: ReactNode;
  confirmLabel: string;
  variant?: "main" | "danger";
  /** Performs the action. Returns a message if it could not be done for an expected reason; the sheet stays open then. */
  onConfirm: () => Promise<string | null>;
  onClose: () => void;
};

/** Confirms an action, and shows why it could not be done. */
export function ConfirmSheet({
  title,
  children,
  confirmLabel,
  variant = "danger",
  onConfirm,
  onClose,
}: Props) {
  const { t } = useTranslation();
  const [message, setMessage] = useState<string | null>(null);
  const mutation = useMutation({
    mutationFn: onConfirm,
    onSuccess: (message) => {
      setMessage(message);
      if (message === null) onClose();
    },
  });
  return (
    <Sheet title={title} onClose={onClose}>
      <div className="flex flex-col gap-3 px-5 pb-5">
        <div className="flex flex-col gap-2 text-soft">{children}</div>
        <div aria-live="polite" className="flex flex-col gap-1 empty:hidden">
          {message && !mutation.isPending && <p className="whitespace-pre-line text-ask">{message}</p>}
          {mutation.error && <ErrorLine error={mutation.error} />}
        </div>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("action.back")}</Button>
          <Button
            variant={variant}
            disabled={mutation.isPending}
            aria-busy={mutation.isPending}
            onClick={() => mutation.mutate()}
          >
            {mutation.isPending ? t("action.working") : confirmLabel}
          </Button>
        </div>
      </div>
    </Sheet>
  );
}
