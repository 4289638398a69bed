/** A double-click opens a task in every view; so do Enter, a click by a screen reader, and a tap. */

import type { MouseEvent } from "react";
import { useOpenTask } from "./navigation";

type OpenHandlers = { onClick: (event: MouseEvent) => void; onDoubleClick: (event: MouseEvent) => void };

export function useTaskOpenHandlers(): (task: string | null, run?: string) => OpenHandlers {
  const open = useOpenTask();
  return (task, run) => openHandlers(() => task && open(task, undefined, run));
}

/** Elements that handle clicks themselves. */
const INTERACTIVE = "a, button, input, textarea, select, summary, label, [contenteditable]";

/** For a card that contains fields and buttons: clicks on those do not open the task. */
export function useFormCardOpenHandlers(): (
  task: string | null,
  run?: string,
) => Pick<OpenHandlers, "onDoubleClick"> {
  const open = useOpenTask();
  return (task, run) => ({
    onDoubleClick: ({ target, currentTarget }) => {
      // React also reports clicks in a sheet that the card has opened.
      const isIn = target instanceof Element && currentTarget.contains(target);
      if (task && isIn && target.closest(INTERACTIVE) === null) open(task, undefined, run);
    },
  });
}

export const isTouchScreen = () => matchMedia("(pointer: coarse)").matches;

/** The same for anything else that opens. */
export function openHandlers(open: () => void): OpenHandlers {
  return {
    onClick: (event) => {
      // A click by keyboard or screen reader has no click count.
      if (event.detail === 0 || isTouchScreen()) open();
    },
    onDoubleClick: open,
  };
}
