/** The page's languages: taken from the browser unless one is stored. Only the current one is loaded. */

import i18next from "i18next";
import { initReactI18next } from "react-i18next";

export const LANGUAGES = { en: "English", ko: "한국어" } as const;
export type Language = keyof typeof LANGUAGES;

const STORAGE_KEY = "jangdan.language";
const LOAD: Record<Language, () => Promise<{ default: object }>> = {
  en: () => import("./en.json"),
  ko: () => import("./ko.json"),
};

const isLanguage = (word: string): word is Language => Object.hasOwn(LANGUAGES, word);

export function detectLanguage(stored: string | null, preferred: readonly string[]): Language {
  const found = [stored ?? "", ...preferred].map((word) => word.slice(0, 2)).find(isLanguage);
  return found ?? "en";
}

export async function initLanguage(): Promise<void> {
  const language = detectLanguage(localStorage.getItem(STORAGE_KEY), navigator.languages);
  const translations = await LOAD[language]();
  await i18next.use(initReactI18next).init({
    lng: language,
    resources: { [language]: { translation: translations.default } },
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  document.documentElement.lang = language;
}

export async function setLanguage(language: Language): Promise<void> {
  const translations = await LOAD[language]();
  i18next.addResourceBundle(language, "translation", translations.default);
  localStorage.setItem(STORAGE_KEY, language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
