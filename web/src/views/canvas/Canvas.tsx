import { ReactFlowProvider } from "@xyflow/react";
import { Workflow } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useRow, useRows } from "~/api/hooks";
import { useLayout } from "~/api/pictures";
import { Said } from "~/components/Said";
import { Unready } from "~/components/Unready";
import { Plan } from "./Plan";
import { planName } from "./toGraph";

/** The plan as a graph. */
export default function Canvas({ run }: { run: string }) {
  const { t } = useTranslation();
  const tasks = useRows(run, "task");
  const phases = useRows(run, "phase");
  const details = useRows(run, "taskDetail");
  const isOver = (useRow(run, "run", "run")?.endedAt ?? null) !== null;
  const plan = useMemo(() => details.data && planName(details.data), [details.data]);
  const layout = useLayout(run, plan, isOver);
  const needed = [tasks, phases, details, layout];
  if (!tasks.data || !layout.data || needed.some(({ error }) => error)) return <Unready needed={needed} />;
  if (layout.data.nodes.length === 0)
    return <Said title={t("canvas.empty")} icon={<Workflow aria-hidden size={22} />} />;
  return (
    <ReactFlowProvider>
      <Plan run={run} layout={layout.data} />
    </ReactFlowProvider>
  );
}
