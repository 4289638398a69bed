import { ReactFlowProvider } from "@xyflow/react";
import { Workflow } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useRow, useRows } from "~/api/hooks";
import { usePlanLayout } from "~/api/layout";
import { Notice } from "~/components/Notice";
import { QueryFallback } from "~/components/QueryFallback";
import { PlanGraph } from "./PlanGraph";
import { phasesFoldedFirst } from "./stackPhases";
import { planHash } from "./toGraph";

/** The plan as a graph of tasks and dependencies. */
export default function Canvas({ run }: { run: string }) {
  const { t } = useTranslation();
  const tasks = useRows(run, "task");
  const phases = useRows(run, "phase");
  const details = useRows(run, "taskDetail");
  const hasEnded = (useRow(run, "run", "run")?.endedAt ?? null) !== null;
  const plan = useMemo(() => details.data && planHash(details.data), [details.data]);
  const layout = usePlanLayout(run, plan, hasEnded);
  const queries = [tasks, phases, details, layout];
  if (!tasks.data || !phases.data || !layout.data || queries.some(({ error }) => error))
    return <QueryFallback queries={queries} />;
  if (layout.data.nodes.length === 0)
    return <Notice title={t("canvas.empty")} icon={<Workflow aria-hidden size={22} />} />;
  return (
    <ReactFlowProvider>
      <PlanGraph run={run} layout={layout.data} foldedFirst={phasesFoldedFirst(phases.data)} />
    </ReactFlowProvider>
  );
}
