/** Keys that work wherever nothing is being typed, whatever alphabet the keyboard writes. */

import { useEffect, useRef } from "react";

type Keys = Record<string, (event: KeyboardEvent) => void>;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Tells whether Enter has a meaning of its own where the focus is. */
function isPressed(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("a, button, summary, [role=button]") !== null;
}

/** A sheet has the keys for itself: a number must not answer what lies behind it. */
const isBehindSheet = () => document.querySelector("[data-sheet]") !== null;

/** A number answers, and an answer is given once: who holds its key down has pressed it once. */
export const isHeld = (name: string, { repeat }: { repeat: boolean }) => repeat && /^[1-9]$/.test(name);

/** Where the signs are that a key has beside letters and digits. */
const SIGNS: Record<string, [plain: string, shifted: string]> = {
  BracketLeft: ["[", "{"],
  BracketRight: ["]", "}"],
  Slash: ["/", "?"],
};

type Pressed = Pick<KeyboardEvent, "key" | "code" | "metaKey" | "ctrlKey" | "altKey" | "shiftKey">;

/** Names a key with what is held beside it: `j`, `?`, `mod+k`. */
export function nameOf(event: Pressed): string {
  const key = latin(event);
  return event.metaKey || event.ctrlKey ? `mod+${key}` : event.altKey ? `alt+${key}` : key;
}

/** Who writes Hangul presses ㅓ, and an input method says nothing but `Process`: then the place of the key counts. */
function latin({ key, code, shiftKey }: Pressed): string {
  const isLatin = key !== "Process" && (key.length > 1 || key.charCodeAt(0) < 128);
  if (isLatin) return key.length === 1 ? key.toLowerCase() : key;
  const sign = SIGNS[code];
  if (sign) return sign[shiftKey ? 1 : 0];
  return /^(Key|Digit)(.)$/.exec(code)?.[2]?.toLowerCase() ?? key;
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
      if (!act) return;
      if (!name.startsWith("mod+") && name !== "Escape") {
        if (isTyping(event.target) || isBehindSheet()) return;
        if (name === "Enter" && isPressed(event.target)) return;
      }
      event.preventDefault();
      if (!isHeld(name, event)) act(event);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [active]);
}
