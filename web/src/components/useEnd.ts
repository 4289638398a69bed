import { useEffect, useLayoutEffect, useRef } from "react";

/** Whoever is nearer to the end than this reads the end. */
const NEAR_PX = 240;

/**
 * Shows the end of something that grows, first and as long as it is the end that somebody reads; whoever reads further up is
 * left there, unless they `want` to see what is new. `size` is another one when something was added.
 */
export function useEnd(place: () => HTMLElement | null | undefined, size: number, wants = false): void {
  const isAtEnd = useRef(true);
  const isThere = size > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: there is a place once there is something in it.
  useEffect(() => {
    const box = place();
    if (!box) return;
    const look = () => {
      isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
    };
    // What is unfolded pushes the end away, and nobody scrolls.
    const signs = ["scroll", "toggle"];
    for (const sign of signs) box.addEventListener(sign, look, true);
    return () => {
      for (const sign of signs) box.removeEventListener(sign, look, true);
    };
  }, [isThere]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is added moves anything.
  useLayoutEffect(() => {
    const box = place();
    if (box && isThere && (isAtEnd.current || wants)) box.scrollTop = box.scrollHeight;
  }, [size]);
}
