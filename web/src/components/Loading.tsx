import { useTranslation } from "react-i18next";

/** A skeleton of grey lines. */
export function Loading({ rows = 4 }: { rows?: number }) {
  const { t } = useTranslation();
  return (
    <div role="status" className="flex flex-col gap-2 p-4">
      <span className="sr-only">{t("page.loading")}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="h-10 animate-pulse rounded-lg bg-line/60" />
      ))}
    </div>
  );
}
