/** Describes an error: a title in the page's language, and the details as the server sent them. */

import { useTranslation } from "react-i18next";
import { ApiError, isUnreachableError } from "~/api/http";
import { ChunkLoadError } from "./lazyWithRetry";

export type ErrorText = { title: string; details: string[] };

type Translate = (key: string, values?: Record<string, unknown>) => string;

export function toErrorText(error: unknown, t: Translate): ErrorText {
  if (isUnreachableError(error)) return { title: t("offline.title"), details: [t("offline.hint")] };
  if (error instanceof ChunkLoadError)
    return { title: t("page.notLoaded"), details: [t("page.notLoadedHint")] };
  if (error instanceof ApiError) {
    // A newer server may have codes that this page does not know.
    const title = error.code === "" ? "" : t(`problem.${error.code}`, { defaultValue: "" });
    // Hints that name API paths are for programs.
    const hint = error.hint.includes("GET /api") ? "" : error.hint;
    const [first = "", ...rest] = [title, error.message, hint].filter(Boolean);
    return { title: first, details: rest };
  }
  return { title: t("page.error"), details: error instanceof Error ? [error.message] : [] };
}

export function useErrorText(): (error: unknown) => ErrorText {
  const { t } = useTranslation();
  return (error) => toErrorText(error, t);
}
