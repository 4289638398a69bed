import { useTranslation } from "react-i18next";
import { useRow } from "~/api/hooks";
import { SessionOutput } from "~/components/output/SessionOutput";
import { Said } from "~/components/Said";

/** What the agent at a task prints, and a line to its input. */
export default function Output({ run, task }: { run: string; task: string }) {
  const { t } = useTranslation();
  const session = useRow(run, "task", task)?.session;
  if (!session) return <Said title={t("output.none")}>{t("output.noneHint")}</Said>;
  return <SessionOutput key={session} run={run} session={session} />;
}
