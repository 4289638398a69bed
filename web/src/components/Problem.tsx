import { Link } from "@tanstack/react-router";
import { CloudOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Refusal } from "~/api/http";
import { Button } from "./Button";
import { useWrong } from "./problem";
import { Said } from "./Said";

/** What went wrong in place of what was to be shown, and the way out. */
export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  const { t } = useTranslation();
  const { title, details } = useWrong()(error);
  // What is not there will not be there the next time.
  const isMissing = error instanceof Refusal && error.status === 404;
  return (
    <Said title={title} icon={<CloudOff aria-hidden size={22} />}>
      {details.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {isMissing ? (
        <Link to="/" className="text-accent underline">
          {t("said.toRuns")}
        </Link>
      ) : (
        <Button onClick={retry ?? (() => location.reload())}>{t("said.again")}</Button>
      )}
    </Said>
  );
}
