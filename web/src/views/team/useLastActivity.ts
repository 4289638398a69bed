import { useEffect, useState } from "react";
import { live } from "~/api/client";

/** When a session last said or did something, as far as this page received it. */
export function useLastActivity(run: string, session: string): number | null {
  const [at, setAt] = useState<number | null>(null);
  useEffect(
    () =>
      live.onActivity((activity) => {
        if (activity.run === run && activity.session === session) setAt(Date.now());
      }),
    [run, session],
  );
  return at;
}
