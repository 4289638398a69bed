import { useEffect, useLayoutEffect, useRef } from "react";

/** Within this distance from the end, the reader counts as being at the end. */
const NEAR_PX = 240;

/**
 * Keeps a growing list scrolled to its end, unless the reader has scrolled up. `size` changes with every addition; `force`
 * scrolls to the end in any case.
 */
export function useStickToEnd(
  container: () => HTMLElement | null | undefined,
  size: number,
  force = false,
): void {
  const isAtEnd = useRef(true);
  const hasContent = size > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the container exists once it has content.
  useEffect(() => {
    const box = container();
    if (!box) return;
    const update = () => {
      isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
    };
    // Unfolding an element moves the end without a scroll event.
    const events = ["scroll", "toggle"];
    for (const event of events) box.addEventListener(event, update, true);
    return () => {
      for (const event of events) box.removeEventListener(event, update, true);
    };
  }, [hasContent]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only an addition scrolls.
  useLayoutEffect(() => {
    const box = container();
    if (box && hasContent && (isAtEnd.current || force)) box.scrollTop = box.scrollHeight;
  }, [size]);
}
