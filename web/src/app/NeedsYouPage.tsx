import { useTranslation } from "react-i18next";
import { NeedsYou } from "~/views/needs-you/NeedsYou";

/** What needs the user in all runs. */
export default function NeedsYouPage() {
  const { t } = useTranslation();
  return (
    <main id="main" aria-label={t("place.needs-you")} className="min-h-0 flex-1">
      <NeedsYou />
    </main>
  );
}
