/** Which versions of changed files the user has marked as viewed; the browser stores it on this device. */

import { useSyncExternalStore } from "react";
import type { DiffFile } from "./diff";

const STORAGE_KEY = "jangdan.viewed";
/** Beyond this the oldest marks are dropped. */
const VIEWED_MAX = 500;

const viewed = readStored(typeof localStorage === "undefined" ? null : localStorage.getItem(STORAGE_KEY));
const listeners = new Set<() => void>();

function readStored(stored: string | null): Set<string> {
  try {
    const names: unknown = JSON.parse(stored ?? "[]");
    return new Set(Array.isArray(names) ? names.filter((name) => typeof name === "string") : []);
  } catch {
    return new Set();
  }
}

/** Names a version of a file: a change of its diff makes another one. */
export function fileVersion(of: string, { path, lines }: Pick<DiffFile, "path" | "lines">): string {
  let hash = 0x811c9dc5;
  for (const { kind, text } of lines)
    for (const character of `${kind[0]}${text}\n`)
      hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return `${of} ${path} ${hash.toString(36)}`;
}

function setViewed(version: string, isViewed: boolean): void {
  viewed.delete(version);
  if (isViewed) viewed.add(version);
  const [oldest] = viewed;
  if (viewed.size > VIEWED_MAX && oldest !== undefined) viewed.delete(oldest);
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify([...viewed]));
  } catch {
    // The storage of the browser is full: the marks last as long as the page.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether this version of a file is marked as viewed, and how to change that. */
export function useViewedFile(version: string): [boolean, (isViewed: boolean) => void] {
  const isViewed = useSyncExternalStore(subscribe, () => viewed.has(version));
  return [isViewed, (next) => setViewed(version, next)];
}

/** How many of these versions are marked as viewed. */
export function useViewedCount(versions: readonly string[]): number {
  return useSyncExternalStore(subscribe, () => versions.filter((version) => viewed.has(version)).length);
}
