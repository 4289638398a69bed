/** The selected inbox card, to which the keyboard shortcuts apply. */

import { useEffect, useRef, useState } from "react";
import { useShortcuts } from "~/components/shortcuts";

/**
 * A selection is kept by name: whatever is added above it or removed, a number never answers another card than the one
 * that was marked. When it is settled the next card is selected, and ignores keys for a moment.
 */
export type CardSelection = {
  name: string | null;
  index: number;
  by: "default" | "user" | "automatic";
};

/** Time to notice that another card was selected, and to hold back a key press. */
export const AUTO_SELECT_GUARD_MS = 600;

export const NO_SELECTION: CardSelection = { name: null, index: 0, by: "default" };

/** Returns the selection for a new list of cards: the same card if it is still there, else the one in its position. */
export function updateSelection(before: CardSelection, names: readonly string[]): CardSelection {
  const index = before.name === null ? -1 : names.indexOf(before.name);
  if (index >= 0) return index === before.index ? before : { ...before, index };
  const next = names[Math.min(before.index, names.length - 1)];
  // The first card of a list that was empty is new to the user.
  if (next === undefined)
    return before.by === "automatic" && !before.name ? before : { ...NO_SELECTION, by: "automatic" };
  return { name: next, index: names.indexOf(next), by: before === NO_SELECTION ? "default" : "automatic" };
}

/**
 * Keeps the selection among the cards; `names` is undefined while they are loading. `wanted` is the card that the address
 * names: a change of it is a choice of the user.
 */
export function useCardSelection(names: readonly string[] | undefined, isVisible = true, wanted?: string) {
  const [stored, setStored] = useState(NO_SELECTION);
  const [followed, setFollowed] = useState<string | undefined>();
  const selectedAt = useRef(0);
  let selection = names ? updateSelection(stored, names) : stored;
  if (names && wanted !== followed) {
    setFollowed(wanted);
    if (wanted !== undefined && wanted !== selection.name && names.includes(wanted))
      selection = { name: wanted, index: names.indexOf(wanted), by: "user" };
  }
  if (selection !== stored) setStored(selection);
  const { name, by } = selection;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time counts from when the selection is shown.
  useEffect(() => {
    selectedAt.current = performance.now();
  }, [name, isVisible]);
  const move = (step: number) => {
    const index = names ? Math.min(names.length - 1, Math.max(0, selection.index + step)) : 0;
    const next = names?.[index];
    if (next !== undefined) setStored({ name: next, index, by: "user" });
  };
  const acceptsKeys = () =>
    by !== "automatic" || performance.now() - selectedAt.current >= AUTO_SELECT_GUARD_MS;
  return { name, by, move, acceptsKeys };
}

/** Whether an element is visible as a whole, and not scrolled out of any box around it. */
function isWhollyVisible(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  for (let box = element.parentElement; box; box = box.parentElement) {
    if (getComputedStyle(box).overflowY === "visible") continue;
    const outer = box.getBoundingClientRect();
    if (top < outer.top - 1 || bottom > outer.bottom + 1) return false;
  }
  return true;
}

/** Binds the keys 1 to 9 to the options of the selected card. An option that is scrolled out is first scrolled in. */
export function useOptionKeys(
  card: () => HTMLElement | null | undefined,
  acceptsKeys: () => boolean,
  active: boolean,
) {
  const press = (n: number) => {
    const option = acceptsKeys() ? card()?.querySelector<HTMLElement>(`[data-option="${n}"]`) : null;
    if (!option) return;
    if (isWhollyVisible(option)) option.click();
    else option.scrollIntoView({ block: "nearest" });
  };
  const numbers = Array.from({ length: 9 }, (_, n) => [String(n + 1), () => press(n + 1)] as const);
  useShortcuts(Object.fromEntries(numbers), active);
}
