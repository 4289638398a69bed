/** Parts of the page that are loaded on first use, or ahead when the browser is idle. */

import { type ComponentType, lazy, type ReactElement } from "react";

/** A part of the page could not be loaded: the server is away, or has another version by now. */
export class ChunkLoadError extends Error {
  override name = "NotLoaded";
  constructor(
    cause: unknown,
    /** Forgets the failure, so that the next render loads the part again. */
    readonly reset: () => void,
  ) {
    super("a part of the page could not be loaded", { cause });
  }
}

/** Parts that are not needed yet are loaded this long after the page has started. */
const PREFETCH_DELAY_MS = 5_000;

/** Like React's `lazy`, but a failed load can be retried, and the part is loaded ahead. */
export function lazyWithRetry<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): (props: P) => ReactElement {
  const loadPart = () =>
    load().catch((cause: unknown) => {
      throw new ChunkLoadError(cause, () => {
        Current = lazy(loadPart);
      });
    });
  // React keeps the failure of a lazy component for ever, so it is replaced.
  let Current = lazy(loadPart);
  prefetchWhenIdle(() => void load().catch(() => {}));
  return (props) => <Current {...props} />;
}

function prefetchWhenIdle(load: () => void): void {
  if (typeof window === "undefined") return;
  const whenIdle = window.requestIdleCallback ?? ((load: () => void) => setTimeout(load));
  setTimeout(() => whenIdle(load), PREFETCH_DELAY_MS);
}
