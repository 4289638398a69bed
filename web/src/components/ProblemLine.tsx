import { useTranslation } from "react-i18next";
import { Button } from "./Button";
import { useWrong } from "./problem";

/** What went wrong with a part of a form, in a line beside what still works. */
export function ProblemLine({ what, error, retry }: { what?: string; error: unknown; retry?: () => void }) {
  const { t } = useTranslation();
  const { title, details } = useWrong()(error);
  return (
    <p role="alert" className="flex flex-wrap items-center gap-x-2 gap-y-1 text-fail">
      {what && <b className="font-medium">{what}</b>}
      <span>{title}</span>
      <span className="text-soft">{details.join(" ")}</span>
      {retry && <Button onClick={retry}>{t("said.again")}</Button>}
    </p>
  );
}
