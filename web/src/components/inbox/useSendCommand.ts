/** Sends commands to a run, and reports the outcome in a toast. */

import { type ProvidedValues, sendCommand } from "~/api/commands";
import type { UserCommand } from "~/api/generated";
import { useCommandMutation } from "~/api/hooks";
import { toast } from "~/components/toasts";

export type CommandSender = {
  /** Returns whether the server accepted the command; `done` is shown if it did. */
  send: (command: UserCommand, done?: string, provided?: ProvidedValues) => Promise<boolean>;
  busy: boolean;
};

export function useSendCommand(run: string): CommandSender {
  const mutation = useCommandMutation(run);
  const send = async (command: UserCommand, done?: string, provided?: ProvidedValues) => {
    try {
      if (provided && Object.keys(provided.values).length > 0) {
        // Not through the mutation, which keeps its variables.
        await sendCommand(run, command, provided);
      } else {
        await mutation.mutateAsync(command);
      }
      if (done) toast.done(done);
      return true;
    } catch (error) {
      toast.failed(error);
      return false;
    }
  };
  return { send, busy: mutation.isPending };
}
