import { useTranslation } from "react-i18next";
import type { BlockedWork as BlockedWorkSize } from "~/api/generated";
import { useFormatDuration } from "~/components/time";

/** The tasks that an inbox entry blocks; nothing if there are none. */
export function BlockedWork({ holdsUp }: { holdsUp: BlockedWorkSize }) {
  const { t } = useTranslation();
  const formatDuration = useFormatDuration();
  if (holdsUp.tasks === 0) return null;
  return (
    <p className="text-ask text-xs">
      {t("inboxItem.blocksTasks", { count: holdsUp.tasks })}
      {holdsUp.timeMs >= 1000 && ` ${t("inboxItem.work", { duration: formatDuration(holdsUp.timeMs) })}`}
    </p>
  );
}
