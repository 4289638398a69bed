/** Keyboard shortcuts. They work outside of text fields and with any keyboard layout, e.g. Hangul. */

import { useEffect, useRef } from "react";

type Shortcuts = Record<string, (event: KeyboardEvent) => void>;

function isTextField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Whether the focused element handles Enter itself. */
function handlesEnter(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("a, button, summary, [role=button]") !== null;
}

/** An open sheet blocks shortcuts: a number must not answer a question behind it. */
const isSheetOpen = () => document.querySelector("[data-sheet]") !== null;

/** A number answers a question, so a key that is held down counts once. */
export const isRepeatedNumberKey = (name: string, { repeat }: { repeat: boolean }) =>
  repeat && /^[1-9]$/.test(name);

/** The characters of keys other than letters and digits. */
const PUNCTUATION: Record<string, [plain: string, shifted: string]> = {
  BracketLeft: ["[", "{"],
  BracketRight: ["]", "}"],
  Slash: ["/", "?"],
};

type KeyPress = Pick<KeyboardEvent, "key" | "code" | "metaKey" | "ctrlKey" | "altKey" | "shiftKey">;

/** Names a key press with its modifier: `j`, `?`, `mod+k`. */
export function shortcutName(event: KeyPress): string {
  const key = latinKey(event);
  return event.metaKey || event.ctrlKey ? `mod+${key}` : event.altKey ? `alt+${key}` : key;
}

/** With a Hangul layout the key is ㅓ, or `Process` while composing: then the position of the key counts. */
function latinKey({ key, code, shiftKey }: KeyPress): string {
  const isLatin = key !== "Process" && (key.length > 1 || key.charCodeAt(0) < 128);
  if (isLatin) return key.length === 1 ? key.toLowerCase() : key;
  const character = PUNCTUATION[code];
  if (character) return character[shiftKey ? 1 : 0];
  return /^(Key|Digit)(.)$/.exec(code)?.[2]?.toLowerCase() ?? key;
}

export function useShortcuts(keys: Shortcuts, active = true): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    if (!active) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const name = shortcutName(event);
      const perform = current.current[name];
      if (!perform) return;
      if (!name.startsWith("mod+") && name !== "Escape") {
        if (isTextField(event.target) || isSheetOpen()) return;
        if (name === "Enter" && handlesEnter(event.target)) return;
      }
      event.preventDefault();
      if (!isRepeatedNumberKey(name, event)) perform(event);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [active]);
}
