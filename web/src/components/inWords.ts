/** What the server says in both languages, in the one that is chosen. */

import { useTranslation } from "react-i18next";

/** What somebody wrote has no Korean beside it, and neither have rows of older logs. */
type Spoken = { text: string; korean?: string | null };

export function inWords({ text, korean }: Spoken, language: string): string {
  return (language === "ko" ? korean : null) ?? text;
}

export function useInWords(): (row: Spoken) => string {
  const { i18n } = useTranslation();
  return (row) => inWords(row, i18n.language);
}
