import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Notice } from "./Notice";

export function NotFound() {
  const { t } = useTranslation();
  return (
    <main id="main">
      <Notice isPage title={t("page.notFound")}>
        <Link to="/runs" className="text-accent underline">
          {t("page.toRuns")}
        </Link>
      </Notice>
    </main>
  );
}
