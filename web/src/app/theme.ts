/** The color theme: that of the system, unless another one is stored. */

export type Theme = "system" | "light" | "dark";

const STORAGE_KEY = "jangdan.theme";

export function storedTheme(): Theme {
  const chosen = localStorage.getItem(STORAGE_KEY);
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

export function setTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, theme);
  applyTheme();
}

export function applyTheme(): void {
  const theme = storedTheme();
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
