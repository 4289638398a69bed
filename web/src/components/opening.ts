/** A double-click opens a task, wherever it is shown; so do Enter, a screen reader, and a finger's tap. */

import type { MouseEvent } from "react";
import { useOpenTask } from "./open";

type Handlers = { onClick: (event: MouseEvent) => void; onDoubleClick: (event: MouseEvent) => void };

export function useOpening(): (task: string | null, run?: string) => Handlers {
  const open = useOpenTask();
  return (task, run) => openedBy(() => task && open(task, undefined, run));
}

/** What has a use of its own for two clicks: a word is chosen in a box, a button is pressed twice. */
const OWN_CLICKS = "a, button, input, textarea, select, summary, label, [contenteditable]";

/** A card with boxes and buttons in it opens its task, too, but not where one of them is clicked. */
export function useCardOpening(): (task: string | null, run?: string) => Pick<Handlers, "onDoubleClick"> {
  const open = useOpenTask();
  return (task, run) => ({
    onDoubleClick: ({ target, currentTarget }) => {
      // A sheet that the card has opened lies elsewhere.
      const isIn = target instanceof Element && currentTarget.contains(target);
      if (task && isIn && target.closest(OWN_CLICKS) === null) open(task, undefined, run);
    },
  });
}

/** Fingers have no other use for a tap. */
export const isTap = () => matchMedia("(pointer: coarse)").matches;

/** What opens something else in the same way. */
export function openedBy(open: () => void): Handlers {
  return {
    onClick: (event) => {
      // A click without a pointer has no count.
      if (event.detail === 0 || isTap()) open();
    },
    onDoubleClick: open,
  };
}
