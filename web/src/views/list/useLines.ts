/** The lines of the list that are in sight, and the one that has the focus wherever it is. */

import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { type ListLine, toNext } from "./toLines";

/** About so high is a line that nobody has measured yet. */
const LINE_PX = 44;

export function useLines(lines: readonly ListLine[], scroller: RefObject<HTMLElement | null>) {
  // Whoever scrolls away from the line that has the focus comes back to it with the next key.
  const [focused, setFocused] = useState<string | null>(null);
  const wanted = useRef<string | null>(null);
  const kept = lines.findIndex(({ key }) => key === focused);
  const shown = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    getItemKey: (n) => lines[n]?.key ?? n,
    overscan: 8,
    rangeExtractor: (range) => {
      const inSight = defaultRangeExtractor(range);
      return kept < 0 || inSight.includes(kept) ? inSight : [...inSight, kept].sort((a, b) => a - b);
    },
  });
  const go = (n: number) => {
    wanted.current = lines[n]?.key ?? null;
    setFocused(wanted.current);
    shown.scrollToIndex(n);
  };
  // A line that was out of sight is there only after it was scrolled to.
  useEffect(() => {
    const line = scroller.current?.querySelector<HTMLElement>(
      `[data-task="${CSS.escape(wanted.current ?? "")}"]`,
    );
    if (!line) return;
    wanted.current = null;
    line.focus({ preventScroll: true });
  });
  return {
    shown,
    setFocused,
    onKeyDown: (event: KeyboardEvent) => {
      const next = event.metaKey || event.ctrlKey || event.altKey ? null : toNext(lines, kept, event.key);
      if (next === null) return;
      event.preventDefault();
      go(next);
    },
  };
}
