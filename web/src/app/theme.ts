/** Light or dark: as the system has it, unless somebody chose. */

export type Theme = "system" | "light" | "dark";

const CHOSEN = "jangdan.theme";

export function chosenTheme(): Theme {
  const chosen = localStorage.getItem(CHOSEN);
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(CHOSEN);
  else localStorage.setItem(CHOSEN, theme);
  showTheme();
}

export function showTheme(): void {
  const theme = chosenTheme();
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
