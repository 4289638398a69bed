/**
 * Unsent text by its purpose. It survives the text field and the page: an answer that was begun in a list is there in the
 * task's panel and after a reload, too. The browser stores it on this device. Secret values are never drafts.
 */

import { useCallback, useSyncExternalStore } from "react";

/** Beyond this the draft that was changed longest ago is dropped. */
const DRAFTS_MAX = 200;

const STORAGE_KEY = "jangdan.drafts";

const drafts = readStoredDrafts(storage()?.getItem(STORAGE_KEY) ?? null);
const listeners = new Set<() => void>();

function storage(): Storage | null {
  return typeof localStorage === "undefined" ? null : localStorage;
}

/** Returns the stored drafts; none if they are missing or unreadable. */
export function readStoredDrafts(stored: string | null): Map<string, string> {
  try {
    const entries: unknown = JSON.parse(stored ?? "[]");
    const isDraft = (entry: unknown): entry is [string, string] =>
      Array.isArray(entry) && entry.length === 2 && entry.every((part) => typeof part === "string");
    return new Map(Array.isArray(entries) ? entries.filter(isDraft) : []);
  } catch {
    return new Map();
  }
}

function storeDrafts(): void {
  try {
    storage()?.setItem(STORAGE_KEY, JSON.stringify([...drafts]));
  } catch {
    // The storage of the browser is full: the drafts last as long as the page.
  }
}

export function readDraft(name: string): string {
  return drafts.get(name) ?? "";
}

export function writeDraft(name: string, text: string): void {
  drafts.delete(name);
  if (text !== "") drafts.set(name, text);
  const [oldest] = drafts.keys();
  if (drafts.size > DRAFTS_MAX && oldest !== undefined) drafts.delete(oldest);
  storeDrafts();
  for (const listener of listeners) listener();
}

function subscribeToDrafts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The unsent text for a purpose, shared by all fields with the same name. */
export function useDraft(...name: (string | number)[]): [string, (text: string) => void] {
  const key = name.join("/");
  const text = useSyncExternalStore(subscribeToDrafts, () => readDraft(key));
  return [text, useCallback((text: string) => writeDraft(key, text), [key])];
}
