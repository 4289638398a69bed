import { useTranslation } from "react-i18next";
import type { BlockedWork as BlockedWorkSize } from "~/api/generated";
import { useFormatDuration } from "~/components/timeFormat";

/** The tasks that an inbox entry blocks; nothing if there are none. */
export function BlockedWork({ blocks }: { blocks: BlockedWorkSize }) {
  const { t } = useTranslation();
  const formatDuration = useFormatDuration();
  if (blocks.tasks === 0) return null;
  return (
    <p className="text-ask text-xs">
      {t("inboxItem.blocksTasks", { count: blocks.tasks })}
      {blocks.timeMs >= 1000 && ` ${t("inboxItem.work", { duration: formatDuration(blocks.timeMs) })}`}
    </p>
  );
}
