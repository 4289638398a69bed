/** A double-click opens a task, wherever it is shown; so do Enter, a screen reader, and a finger's tap. */

import type { MouseEvent } from "react";
import { useOpenTask } from "./open";

type Handlers = { onClick: (event: MouseEvent) => void; onDoubleClick: () => void };

export function useOpening(): (task: string | null) => Handlers {
  const open = useOpenTask();
  return (task) => openedBy(() => task && open(task));
}

/** What opens something else in the same way. */
export function openedBy(open: () => void): Handlers {
  return {
    onClick: (event) => {
      // A click without a pointer has no count. Fingers have no other use for a tap.
      const isPlain = event.detail === 0 || matchMedia("(pointer: coarse)").matches;
      if (isPlain) open();
    },
    onDoubleClick: open,
  };
}
