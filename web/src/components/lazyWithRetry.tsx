/** Parts of the page that are loaded on first use, or ahead when the browser is idle. */

import { type ComponentType, lazy, type ReactElement } from "react";
import { live } from "~/api/client";

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

/** The page is not reloaded again for this long, so that a part that is missing for ever does not reload it for ever. */
const RELOAD_PAUSE_MS = 60_000;
const RELOADED_KEY = "jangdan.reloadedAt";

function reloadOnce(): void {
  const before = Number(sessionStorage.getItem(RELOADED_KEY) ?? 0);
  if (Date.now() - before < RELOAD_PAUSE_MS) return;
  sessionStorage.setItem(RELOADED_KEY, String(Date.now()));
  location.reload();
}

/**
 * Like React's `lazy`, but a failed load can be retried, and the part is loaded ahead. Some browsers remember for the life
 * of the page that a module could not be loaded; then the retry reloads the page, which keeps the address and the drafts.
 */
export function lazyWithRetry<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): (props: P) => ReactElement {
  let nFailed = 0;
  const loadPart = () =>
    load().catch((cause: unknown) => {
      nFailed += 1;
      if (nFailed > 1 && live.state.type === "open") reloadOnce();
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
