import { useTranslation } from "react-i18next";
import type { BlockedWork as Held } from "~/api/generated";
import { useSpan } from "~/components/time";

/** What waits behind something that a person must do. */
export function HoldsUp({ holdsUp }: { holdsUp: Held }) {
  const { t } = useTranslation();
  const span = useSpan();
  if (holdsUp.tasks === 0) return <span>{t("ask.holdsNothing")}</span>;
  const tasks = t("ask.holdsUp", { count: holdsUp.tasks });
  return (
    <span>
      {tasks}
      {holdsUp.timeMs >= 1000 && ` · ${t("ask.path", { span: span(holdsUp.timeMs) })}`}
    </span>
  );
}
