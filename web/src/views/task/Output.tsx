import { useTranslation } from "react-i18next";
import { useRow } from "~/api/hooks";
import { Notice } from "~/components/Notice";
import { SessionOutput } from "~/components/output/SessionOutput";

/** The output of the session that works on a task. */
export default function Output({ run, task }: { run: string; task: string }) {
  const { t } = useTranslation();
  const session = useRow(run, "task", task)?.session;
  if (!session) return <Notice title={t("output.none")}>{t("output.noneHint")}</Notice>;
  return <SessionOutput key={session} run={run} session={session} />;
}
