import { BaseEdge, type EdgeProps } from "@xyflow/react";
import { useTranslation } from "react-i18next";
import type { OverlapEdge } from "./toGraph";

/** Further names are left out of the tooltip. */
const NAMED_MAX = 5;

/** A red link between two tasks that change the same files. */
export function OverlapLink({ data }: EdgeProps<OverlapEdge>) {
  const { t } = useTranslation();
  if (!data) return null;
  const more = data.nFiles > NAMED_MAX ? ` +${data.nFiles - NAMED_MAX}` : "";
  return (
    <g>
      <title>{t("canvas.overlap", { files: data.files.slice(0, NAMED_MAX).join(", ") + more })}</title>
      <BaseEdge path={data.path} interactionWidth={12} />
    </g>
  );
}
