/** Wishes something, and says in a toast what came of it. */

import type { Command } from "~/api/generated";
import { useWish } from "~/api/hooks";
import { toast } from "~/components/toasts";

export type Act = { act: (wish: Command, done?: string) => Promise<boolean>; busy: boolean };

export function useAct(run: string): Act {
  const wish = useWish(run);
  const act = async (what: Command, done?: string) => {
    try {
      await wish.mutateAsync(what);
      if (done) toast.done(done);
      return true;
    } catch (error) {
      toast.failed(error);
      return false;
    }
  };
  return { act, busy: wish.isPending };
}
