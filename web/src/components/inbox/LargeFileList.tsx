import { useTranslation } from "react-i18next";
import type { LargeFile } from "~/api/generated";
import { formatBytes } from "~/components/format";

const LISTED_MAX = 6;

/** Files above the size limit that are not part of the work. */
export function LargeFileList({ files }: { files: readonly LargeFile[] }) {
  const { t } = useTranslation();
  if (files.length === 0) return null;
  const more = files.length - LISTED_MAX;
  const listed = files.slice(0, LISTED_MAX).map(({ path, bytes }) => `${path} (${formatBytes(bytes)})`);
  return (
    <p className="text-soft text-xs">
      {t("largeFiles.leftOut", { files: listed.join(", ") })}
      {more > 0 && ` ${t("gate.more", { count: more })}`}
    </p>
  );
}
