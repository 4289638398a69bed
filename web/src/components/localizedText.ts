/** Texts that the server has in both languages, in the current one. */

import { useTranslation } from "react-i18next";

/** Text written by people or agents has no translation, and neither have rows of older logs. */
type LocalizedRow = { text: string; korean?: string | null };

export function localizedText({ text, korean }: LocalizedRow, language: string): string {
  return (language === "ko" ? korean : null) ?? text;
}

export function useLocalizedText(): (row: LocalizedRow) => string {
  const { i18n } = useTranslation();
  return (row) => localizedText(row, i18n.language);
}
