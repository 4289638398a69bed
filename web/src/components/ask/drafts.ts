/**
 * What somebody has begun to write, by what it is for. It outlives the box that it is written in: who opens a task in the
 * middle of an answer finds the words there, and again when they come back. It ends with the page.
 */

import { useCallback, useSyncExternalStore } from "react";

/** So many are begun at most; what was touched longest ago is dropped. */
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

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The words that were begun for something, the same in every box for it. */
export function useDraft(...name: (string | number)[]): [string, (text: string) => void] {
  const key = name.join("/");
  const text = useSyncExternalStore(subscribe, () => readDraft(key));
  return [text, useCallback((text: string) => writeDraft(key, text), [key])];
}
