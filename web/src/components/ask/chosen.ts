/** Which of the things that wait the keys speak to. */

import { useEffect, useRef, useState } from "react";
import { useKeys } from "~/components/keys";

/**
 * The chosen thing is held by its name: whatever comes above it or leaves, a number never answers another one than the
 * one that was marked. Where it is settled the next is marked, and has no keys until that could be seen.
 */
export type Chosen = { name: string | null; at: number; by: "sight" | "hand" | "itself" };

/** How long it takes to see that another one is marked, and to hold a finger back. */
export const SEEN_AFTER_MS = 600;

export const NOTHING_YET: Chosen = { name: null, at: 0, by: "sight" };

/** Returns what is chosen among those that wait now, which is the same as before wherever that still waits. */
export function toChosen(before: Chosen, names: readonly string[]): Chosen {
  const at = before.name === null ? -1 : names.indexOf(before.name);
  if (at >= 0) return at === before.at ? before : { ...before, at };
  const next = names[Math.min(before.at, names.length - 1)];
  // Later on the first to come is news: nobody has looked at it.
  if (next === undefined)
    return before.by === "itself" && !before.name ? before : { ...NOTHING_YET, by: "itself" };
  return { name: next, at: names.indexOf(next), by: before === NOTHING_YET ? "sight" : "itself" };
}

/** Holds the choice among things that wait; `names` is undefined while nobody knows what does, and not all is in sight. */
export function useChosen(names: readonly string[] | undefined, inSight = true) {
  const [held, setHeld] = useState(NOTHING_YET);
  const shownAt = useRef(0);
  const chosen = names ? toChosen(held, names) : held;
  if (chosen !== held) setHeld(chosen);
  const { name, by } = chosen;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the clock runs from when another one is shown as chosen.
  useEffect(() => {
    shownAt.current = performance.now();
  }, [name, inSight]);
  const move = (step: number) => {
    const at = names ? Math.min(names.length - 1, Math.max(0, chosen.at + step)) : 0;
    const next = names?.[at];
    if (next !== undefined) setHeld({ name: next, at, by: "hand" });
  };
  const isSeen = () => by !== "itself" || performance.now() - shownAt.current >= SEEN_AFTER_MS;
  return { name, move, isSeen };
}

/** Lets the keys 1 to 9 press the options of the chosen thing. */
export function useNumbers(
  chosen: () => HTMLElement | null | undefined,
  isSeen: () => boolean,
  active: boolean,
) {
  const press = (n: number) => {
    if (isSeen()) chosen()?.querySelector<HTMLElement>(`[data-option="${n}"]`)?.click();
  };
  const numbers = Array.from({ length: 9 }, (_, n) => [String(n + 1), () => press(n + 1)] as const);
  useKeys(Object.fromEntries(numbers), active);
}
