/** Renders components in tests, with the texts of the page and a query cache of its own. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import i18next from "i18next";
import { act, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { initReactI18next } from "react-i18next";
import { afterEach, vi } from "vitest";
import type { Language } from "~/i18n/setup";

const mounted: { root: Root; box: HTMLElement }[] = [];

afterEach(unmountAll);

function unmountAll(): void {
  for (const { root, box } of mounted.splice(0)) {
    act(() => root.unmount());
    box.remove();
  }
}

/** Renders into a new element of the document, in place of the one before. It is removed after the test. */
export async function renderForTest(content: ReactNode, language: Language = "en"): Promise<HTMLElement> {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  // Texts that change while an earlier content is still shown would render it again.
  unmountAll();
  const { default: translation } =
    language === "ko" ? await import("~/i18n/ko.json") : await import("~/i18n/en.json");
  await i18next.use(initReactI18next).init({
    lng: language,
    resources: { [language]: { translation } },
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  const box = document.body.appendChild(document.createElement("div"));
  const root = createRoot(box);
  mounted.push({ root, box });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  await act(async () => root.render(<QueryClientProvider client={client}>{content}</QueryClientProvider>));
  return box;
}

/** Waits until an assertion about the content holds. */
export async function waitFor(assertion: () => void): Promise<void> {
  await vi.waitFor(async () => {
    await act(async () => {});
    assertion();
  });
}

/** Clicks an element as a user, and waits for what follows. */
export async function click(element: Element | null | undefined): Promise<void> {
  if (!(element instanceof HTMLElement)) throw new Error("no element to click");
  await act(async () => element.click());
}

/** Enters text into a field as a user. */
export async function enterText(field: Element | null | undefined, text: string): Promise<void> {
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) {
    throw new Error("no field to write into");
  }
  const prototype = Object.getPrototypeOf(field);
  await act(async () => {
    // React does not see a change that is made through its own property.
    Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

/** The text that is visible, not only for screen readers. */
export function visibleText(element: Element): string {
  const copy = element.cloneNode(true) as Element;
  for (const hidden of copy.querySelectorAll(".sr-only")) hidden.remove();
  return (copy.textContent ?? "").replaceAll(/\s+/g, " ").trim();
}
