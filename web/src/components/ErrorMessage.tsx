import { Link } from "@tanstack/react-router";
import { CloudOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ApiError } from "~/api/http";
import { Button } from "./Button";
import { useErrorText } from "./errorText";
import { Notice } from "./Notice";

type Props = { error: unknown; retry?: () => void; isPage?: boolean };

/** An error in place of the content, with a button to retry. */
export function ErrorMessage({ error, retry, isPage = false }: Props) {
  const { t } = useTranslation();
  const { title, details } = useErrorText()(error);
  // Retrying does not help if the thing does not exist.
  const isMissing = error instanceof ApiError && error.status === 404;
  return (
    <Notice isPage={isPage} title={title} icon={<CloudOff aria-hidden size={22} />}>
      {details.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {isMissing ? (
        <Link to="/runs" className="text-accent underline">
          {t("page.toRuns")}
        </Link>
      ) : (
        <Button onClick={retry ?? (() => location.reload())}>{t("page.retry")}</Button>
      )}
    </Notice>
  );
}
