import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Said } from "./Said";

export function NotFound() {
  const { t } = useTranslation();
  return (
    <main id="main">
      <Said title={t("said.notFound")}>
        <Link to="/" className="text-accent underline">
          {t("said.toRuns")}
        </Link>
      </Said>
    </main>
  );
}
