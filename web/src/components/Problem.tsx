import { CloudOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "./Button";
import { useWrong } from "./problem";
import { Said } from "./Said";

/** What went wrong in place of what was to be shown, and the way out. */
export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  const { t } = useTranslation();
  const { title, details } = useWrong()(error);
  return (
    <Said title={title} icon={<CloudOff aria-hidden size={22} />}>
      {details.map((line) => (
        <p key={line}>{line}</p>
      ))}
      <Button onClick={retry ?? (() => location.reload())}>{t("said.again")}</Button>
    </Said>
  );
}
