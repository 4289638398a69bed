/**
 * Unsent text by its purpose. It survives the text field: an answer that was begun in the inbox is there in the task's
 * panel, too. It is lost when the page is closed.
 */

import { useCallback, useSyncExternalStore } from "react";

/** Beyond this the draft that was changed longest ago is dropped. */
const DRAFTS_MAX = 200;

const drafts = new Map<string, string>();
const listeners = new Set<() => void>();

export function readDraft(name: string): string {
  return drafts.get(name) ?? "";
}

export function writeDraft(name: string, text: string): void {
  drafts.delete(name);
  if (text !== "") drafts.set(name, text);
  const [oldest] = drafts.keys();
  if (drafts.size > DRAFTS_MAX && oldest !== undefined) drafts.delete(oldest);
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
