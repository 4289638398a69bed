import { Settings2 } from "lucide-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorBoundary } from "~/components/ErrorBoundary";
import { lazyWithRetry } from "~/components/lazyWithRetry";
import { toast } from "~/components/toasts";

const SettingsMenu = lazyWithRetry(() => import("./SettingsMenu"));

/** Opens the settings. Their menu is loaded on the first click. */
export function SettingsButton({ className }: { className: string }) {
  const { t } = useTranslation();
  const [isOpened, setIsOpened] = useState(false);
  const button = (
    <button
      type="button"
      aria-haspopup="menu"
      aria-label={t("nav.settings")}
      title={t("nav.settings")}
      className={className}
      onClick={() => setIsOpened(true)}
    >
      <Settings2 aria-hidden size={18} />
    </button>
  );
  if (!isOpened) return button;
  return (
    <ErrorBoundary
      fallback={() => button}
      onFailed={({ error }) => {
        toast.failed(error);
        setIsOpened(false);
      }}
    >
      <Suspense fallback={button}>
        <SettingsMenu className={className} />
      </Suspense>
    </ErrorBoundary>
  );
}
