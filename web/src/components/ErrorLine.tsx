import { useTranslation } from "react-i18next";
import { Button } from "./Button";
import { useErrorText } from "./errorText";

/** An error in one line, beside content that still works. */
export function ErrorLine({ what, error, retry }: { what?: string; error: unknown; retry?: () => void }) {
  const { t } = useTranslation();
  const { title, details } = useErrorText()(error);
  return (
    <p role="alert" className="flex flex-wrap items-center gap-x-2 gap-y-1 text-fail">
      {what && <b className="font-medium">{what}</b>}
      <span>{title}</span>
      <span className="text-soft">{details.join(" ")}</span>
      {retry && <Button onClick={retry}>{t("page.retry")}</Button>}
    </p>
  );
}
