import { Panel, useReactFlow } from "@xyflow/react";
import { Maximize, Minus, Plus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "~/components/Button";

export function ZoomButtons({ onFit }: { onFit: () => void }) {
  const { t } = useTranslation();
  const flow = useReactFlow();
  const move = { duration: 200 };
  return (
    <Panel position="bottom-left" className="flex rounded-lg border border-line bg-panel">
      <IconButton label={t("canvas.zoomIn")} onClick={() => void flow.zoomIn(move)}>
        <Plus size={15} />
      </IconButton>
      <IconButton label={t("canvas.zoomOut")} onClick={() => void flow.zoomOut(move)}>
        <Minus size={15} />
      </IconButton>
      <IconButton label={t("canvas.fit")} onClick={onFit}>
        <Maximize size={15} />
      </IconButton>
    </Panel>
  );
}
