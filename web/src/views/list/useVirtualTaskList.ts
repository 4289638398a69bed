/** The visible rows of the list, and the focused one even if it is not visible. */

import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { type ListRow, nextTaskIndex } from "./listRows";

/** The estimated height of a row. */
const ROW_PX = 44;

export function useVirtualTaskList(rows: readonly ListRow[], scroller: RefObject<HTMLElement | null>) {
  // The focused row stays rendered while it is scrolled out, so that the next key continues from it.
  const [focused, setFocused] = useState<string | null>(null);
  const nextFocus = useRef<string | null>(null);
  const focusedIndex = rows.findIndex(({ key }) => key === focused);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (n) => rows[n]?.key ?? n,
    overscan: 8,
    rangeExtractor: (range) => {
      const visible = defaultRangeExtractor(range);
      if (focusedIndex < 0 || visible.includes(focusedIndex)) return visible;
      return [...visible, focusedIndex].sort((a, b) => a - b);
    },
  });
  const go = (n: number) => {
    nextFocus.current = rows[n]?.key ?? null;
    setFocused(nextFocus.current);
    virtualizer.scrollToIndex(n);
  };
  // A row that was not visible is rendered only after scrolling to it.
  useEffect(() => {
    const row = scroller.current?.querySelector<HTMLElement>(
      `[data-task="${CSS.escape(nextFocus.current ?? "")}"]`,
    );
    if (!row) return;
    nextFocus.current = null;
    row.focus({ preventScroll: true });
  });
  return {
    virtualizer,
    setFocused,
    onKeyDown: (event: KeyboardEvent) => {
      const hasModifier = event.metaKey || event.ctrlKey || event.altKey;
      const next = hasModifier ? null : nextTaskIndex(rows, focusedIndex, event.key);
      if (next === null) return;
      event.preventDefault();
      go(next);
    },
  };
}
