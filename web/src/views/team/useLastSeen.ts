import { useEffect, useState } from "react";
import { live } from "~/api/client";

/** When a session was last seen to say or do something, as far as this page was there. */
export function useLastSeen(run: string, session: string): number | null {
  const [at, setAt] = useState<number | null>(null);
  useEffect(
    () =>
      live.onGlimpse((glimpse) => {
        if (glimpse.run === run && glimpse.session === session) setAt(Date.now());
      }),
    [run, session],
  );
  return at;
}
