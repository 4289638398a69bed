/** Sends commands to a run, and reports the outcome in a toast. */

import { sendCommand } from "~/api/commands";
import type { UserCommand } from "~/api/generated";
import { useCommandMutation } from "~/api/hooks";
import { toast } from "~/components/toasts";

export type CommandSender = {
  /** Returns whether the server accepted the command; `done` is shown if it did. `values` are those of provided variables. */
  send: (command: UserCommand, done?: string, values?: Record<string, string>) => Promise<boolean>;
  busy: boolean;
};

export function useSendCommand(run: string): CommandSender {
  const mutation = useCommandMutation(run);
  const send = async (command: UserCommand, done?: string, values?: Record<string, string>) => {
    try {
      if (values && Object.keys(values).length > 0) {
        // Not through the mutation, which keeps its variables.
        await sendCommand(run, command, values);
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
