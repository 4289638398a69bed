import { Settings2 } from "lucide-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Boundary } from "~/components/Boundary";
import { lazily } from "~/components/lazily";
import { toast } from "~/components/toasts";

const Settings = lazily(() => import("./Settings"));

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
    <Boundary
      instead={() => button}
      onFailed={({ error }) => {
        toast.failed(error);
        setWanted(false);
      }}
    >
      <Suspense fallback={button}>
        <Settings className={className} />
      </Suspense>
    </Boundary>
  );
}
