import { CloudOff, KeyRound, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { live } from "~/api/client";
import { useConnectionState } from "~/api/hooks";
import { Button } from "~/components/Button";
import { useErrorText } from "~/components/errorText";
import { useFormatClockTime } from "~/components/timeFormat";

/** Warns that the page may be out of date: the server is away, busy, or the browser is signed out. */
export function ConnectionBanner() {
  const { t } = useTranslation();
  const state = useConnectionState();
  switch (state.type) {
    case "open":
    case "connecting":
      return null;
    case "offline":
      return <OfflineBanner since={state.since} />;
    case "busy":
      return <BusyBanner error={state.error} />;
    case "signedOut":
      return (
        <Banner Icon={KeyRound}>
          <b>{t("signedOut.title")}</b> {t("signedOut.hint")} <code className="font-mono">jangdan link</code>
        </Banner>
      );
  }
}

function BusyBanner({ error }: { error: unknown }) {
  const { title, details } = useErrorText()(error);
  return (
    <Banner Icon={CloudOff}>
      <b>{title}</b> {details.join(" · ")}
    </Banner>
  );
}

function OfflineBanner({ since }: { since: number }) {
  const { t } = useTranslation();
  const formatClock = useFormatClockTime();
  return (
    <Banner Icon={CloudOff}>
      <b>{t("offline.banner", { time: formatClock(since) })}</b> {t("offline.bannerHint")}
    </Banner>
  );
}

/** A message above the page with a button to reconnect. */
function Banner({ Icon, children }: { Icon: LucideIcon; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 border-fail border-b bg-fail-soft px-4 py-2"
    >
      <Icon aria-hidden size={16} className="text-fail" />
      <p className="flex-1">{children}</p>
      <Button onClick={live.retry}>{t("page.retry")}</Button>
    </div>
  );
}
