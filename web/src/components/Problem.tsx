import { CloudOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { isOffline, Refusal } from "~/api/http";
import { Button } from "./Button";
import { Said } from "./Said";

/** What went wrong in place of what was to be shown, and the way out. */
export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  const { t } = useTranslation();
  const icon = <CloudOff aria-hidden size={22} />;
  const again = <Button onClick={retry ?? (() => location.reload())}>{t("said.again")}</Button>;
  if (isOffline(error)) {
    return (
      <Said title={t("offline.title")} icon={icon}>
        <p>{t("offline.hint")}</p>
        {again}
      </Said>
    );
  }
  const hint = error instanceof Refusal ? error.hint : "";
  return (
    <Said title={error instanceof Error ? error.message : t("said.broken")} icon={icon}>
      {hint && <p>{hint}</p>}
      {again}
    </Said>
  );
}
