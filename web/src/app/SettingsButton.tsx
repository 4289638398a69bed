import { Settings2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";

const Settings = lazy(() => import("./Settings"));

/** The way to the settings, whose menu is loaded when somebody wants it for the first time. */
export function SettingsButton({ className }: { className: string }) {
  const { t } = useTranslation();
  const [isWanted, setWanted] = useState(false);
  const button = (
    <button
      type="button"
      aria-haspopup="menu"
      aria-label={t("nav.settings")}
      title={t("nav.settings")}
      className={className}
      onClick={() => setWanted(true)}
    >
      <Settings2 aria-hidden size={18} />
    </button>
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <Settings className={className} />
    </Suspense>
  );
}
