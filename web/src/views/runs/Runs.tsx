import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { RunList } from "./RunList";

/** The list of runs, newest first. */
export default function Runs() {
  const { t } = useTranslation();
  return (
    <main id="main" aria-labelledby="runs-title" className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-3 p-4 md:p-6">
        <div className="flex items-center justify-between">
          <h1 id="runs-title" className="font-semibold text-lg">
            {t("runs.title")}
          </h1>
          <Link to="/new" className="inline-flex items-center gap-1 text-accent hover:underline">
            <Plus aria-hidden size={15} /> {t("nav.new")}
          </Link>
        </div>
        <RunList />
      </div>
    </main>
  );
}
