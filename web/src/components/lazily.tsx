/** Parts of the page that are fetched when they are first shown, or as soon as nobody needs the time for anything else. */

import { type ComponentType, lazy, type ReactElement } from "react";

/** A part of the page was not there: the server is away, or is another one by now. */
export class NotLoaded extends Error {
  override name = "NotLoaded";
  constructor(
    cause: unknown,
    /** Lets it be fetched anew when it is shown the next time. */
    readonly again: () => void,
  ) {
    super("a part of the page could not be loaded", { cause });
  }
}

/** The parts that nobody asked for yet are fetched so long after the page has begun. */
const AHEAD_MS = 5_000;

/** Like React's `lazy`, but what failed once can be tried again; and it is fetched before it is needed. */
export function lazily<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): (props: P) => ReactElement {
  const fetchPart = () =>
    load().catch((cause: unknown) => {
      throw new NotLoaded(cause, () => {
        Current = lazy(fetchPart);
      });
    });
  // One that has failed stays so for React: another one takes its place.
  let Current = lazy(fetchPart);
  ahead(() => void load().catch(() => {}));
  return (props) => <Current {...props} />;
}

/** Does something once the page has settled, and has a moment. */
function ahead(act: () => void): void {
  if (typeof window === "undefined") return;
  const idle = window.requestIdleCallback ?? ((act: () => void) => setTimeout(act));
  setTimeout(() => idle(act), AHEAD_MS);
}
