/** What went wrong, in the page's language as far as it has words for it; the details are the server's. */

import { useTranslation } from "react-i18next";
import { isOffline, Refusal } from "~/api/http";
import { NotLoaded } from "./lazily";

export type Wrong = { title: string; details: string[] };

type Words = (key: string, values?: Record<string, unknown>) => string;

export function toWrong(error: unknown, t: Words): Wrong {
  if (isOffline(error)) return { title: t("offline.title"), details: [t("offline.hint")] };
  if (error instanceof NotLoaded) return { title: t("said.notLoaded"), details: [t("said.notLoadedHint")] };
  if (error instanceof Refusal) {
    // A code that a newer server has is not known here.
    const title = error.code === "" ? "" : t(`problem.${error.code}`, { defaultValue: "" });
    // Some hints are for programs.
    const hint = error.hint.includes("GET /api") ? "" : error.hint;
    const [first = "", ...rest] = [title, error.message, hint].filter(Boolean);
    return { title: first, details: rest };
  }
  return { title: t("said.broken"), details: error instanceof Error ? [error.message] : [] };
}

export function useWrong(): (error: unknown) => Wrong {
  const { t } = useTranslation();
  return (error) => toWrong(error, t);
}
