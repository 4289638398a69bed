import { useTranslation } from "react-i18next";
import type { CommandOrigin } from "~/api/generated";

/** Where a decision of a user came from: the page, a terminal or a program. Nothing for decisions of agents. */
export function CommandSource({ origin }: { origin: CommandOrigin | null | undefined }) {
  const { t } = useTranslation();
  if (origin == null) return null;
  const { interface: way, process, program } = origin;
  const source = program == null ? "" : ` · ${program}`;
  const title = process == null ? undefined : t("commandSource.process", { process });
  return (
    <span className="text-soft" title={title}>
      {` · ${t(`commandSource.${way}`)}${source}`}
    </span>
  );
}
