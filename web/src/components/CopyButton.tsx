import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "./Button";
import { toast } from "./toasts";

/** Copies a text, and says so until it is left. */
export function CopyButton({ text }: { text: string }) {
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      (error: unknown) => toast.failed(error),
    );
  return (
    <IconButton
      label={t(isCopied ? "action.copied" : "action.copy")}
      onClick={() => void copy()}
      onBlur={() => setCopied(false)}
    >
      {isCopied ? <Check size={14} /> : <Copy size={14} />}
    </IconButton>
  );
}
