import type { RunViewProps } from "../views";
import { InboxList } from "./InboxList";

export default function RunInbox({ run }: RunViewProps) {
  return (
    <div className="mx-auto w-full max-w-2xl p-4">
      <InboxList run={run} />
    </div>
  );
}
