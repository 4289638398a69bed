/** The page's languages: found out from the browser, kept when chosen, and only the chosen one loaded. */

import i18next from "i18next";
import { initReactI18next } from "react-i18next";

export const LANGUAGES = { en: "English", ko: "한국어" } as const;
export type Language = keyof typeof LANGUAGES;

const CHOSEN = "jangdan.language";
const LOAD: Record<Language, () => Promise<{ default: object }>> = {
  en: () => import("./en.json"),
  ko: () => import("./ko.json"),
};

const isLanguage = (word: string): word is Language => Object.hasOwn(LANGUAGES, word);

export function firstLanguage(chosen: string | null, wanted: readonly string[]): Language {
  const found = [chosen ?? "", ...wanted].map((word) => word.slice(0, 2)).find(isLanguage);
  return found ?? "en";
}

export async function startLanguage(): Promise<void> {
  const language = firstLanguage(localStorage.getItem(CHOSEN), navigator.languages);
  const words = await LOAD[language]();
  await i18next.use(initReactI18next).init({
    lng: language,
    resources: { [language]: { translation: words.default } },
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  document.documentElement.lang = language;
}

export async function chooseLanguage(language: Language): Promise<void> {
  const words = await LOAD[language]();
  i18next.addResourceBundle(language, "translation", words.default);
  localStorage.setItem(CHOSEN, language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
