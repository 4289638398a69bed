import { CloudOff, KeyRound, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { live } from "~/api/client";
import { useLiveState } from "~/api/hooks";
import { Button } from "~/components/Button";
import { useWrong } from "~/components/problem";
import { useAgo } from "~/components/time";

/** Says so when what is shown may be old. */
export function Connection() {
  const { t } = useTranslation();
  const state = useLiveState();
  switch (state.type) {
    case "open":
    case "connecting":
      return null;
    case "offline":
      return <Offline since={state.since} />;
    case "busy":
      return <Busy error={state.refusal} />;
    case "refused":
      return (
        <Banner Icon={KeyRound}>
          <b>{t("refused.title")}</b> {t("refused.hint")} <code className="font-mono">jangdan link</code>
        </Banner>
      );
  }
}

function Busy({ error }: { error: unknown }) {
  const { title, details } = useWrong()(error);
  return (
    <Banner Icon={CloudOff}>
      <b>{title}</b> {details.join(" · ")}
    </Banner>
  );
}

function Offline({ since }: { since: number }) {
  const { t } = useTranslation();
  const ago = useAgo(since);
  return (
    <Banner Icon={CloudOff}>
      <b>{t("offline.title")}</b> {t("offline.banner", { ago })}
    </Banner>
  );
}

/** What is wrong, over everything else, and a way to try again. */
function Banner({ Icon, children }: { Icon: LucideIcon; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 border-fail border-b bg-fail-soft px-4 py-2"
    >
      <Icon aria-hidden size={16} className="text-fail" />
      <p className="flex-1">{children}</p>
      <Button onClick={live.retry}>{t("said.again")}</Button>
    </div>
  );
}
