import { KeyRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { live } from "~/api/client";
import { Button } from "~/components/Button";
import { CopyButton } from "~/components/CopyButton";
import { Notice } from "~/components/Notice";

/** Shown instead of a page to a browser that is signed out: what to do. */
export function SignedOut() {
  const { t } = useTranslation();
  return (
    <main id="main" data-signed-out className="min-h-0 flex-1 overflow-y-auto p-4">
      <Notice isPage title={t("signedOut.pageTitle")} icon={<KeyRound aria-hidden size={22} />}>
        <p>{t("signedOut.explanation")}</p>
        <p className="mx-auto flex w-fit items-center gap-1 rounded-lg border border-line bg-panel py-0.5 pr-0.5 pl-2.5">
          <code className="font-mono">jangdan link</code> <CopyButton text="jangdan link" />
        </p>
        <p>{t("signedOut.once")}</p>
        <Button onClick={live.retry}>{t("page.retry")}</Button>
      </Notice>
    </main>
  );
}
