import { CloudOff, KeyRound } from "lucide-react";
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
        <div
          role="alert"
          className="flex flex-wrap items-center gap-3 border-fail border-b bg-fail-soft px-4 py-2"
        >
          <KeyRound aria-hidden size={16} className="text-fail" />
          <p className="flex-1">
            <b>{t("refused.title")}</b> {t("refused.hint")} <code className="font-mono">jangdan link</code>
          </p>
          <Button onClick={live.retry}>{t("said.again")}</Button>
        </div>
      );
  }
}

function Busy({ error }: { error: unknown }) {
  const { t } = useTranslation();
  const { title, details } = useWrong()(error);
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 border-fail border-b bg-fail-soft px-4 py-2"
    >
      <CloudOff aria-hidden size={16} className="text-fail" />
      <p className="flex-1">
        <b>{title}</b> {details.join(" · ")}
      </p>
      <Button onClick={live.retry}>{t("said.again")}</Button>
    </div>
  );
}

function Offline({ since }: { since: number }) {
  const { t } = useTranslation();
  const ago = useAgo(since);
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 border-fail border-b bg-fail-soft px-4 py-2"
    >
      <CloudOff aria-hidden size={16} className="text-fail" />
      <p className="flex-1">
        <b>{t("offline.title")}</b> {t("offline.banner", { ago })}
      </p>
      <Button onClick={live.retry}>{t("said.again")}</Button>
    </div>
  );
}
