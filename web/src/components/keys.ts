/** Keys that work wherever nothing is being typed. */

import { useEffect, useRef } from "react";

type Keys = Record<string, (event: KeyboardEvent) => void>;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Names a key with what is held beside it: `j`, `?`, `mod+k`. */
export function nameOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return event.metaKey || event.ctrlKey ? `mod+${key}` : event.altKey ? `alt+${key}` : key;
}

export function useKeys(keys: Keys, active = true): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    if (!active) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const name = nameOf(event);
      const act = current.current[name];
      if (!act || (isTyping(event.target) && !name.startsWith("mod+") && name !== "Escape")) return;
      event.preventDefault();
      act(event);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [active]);
}
