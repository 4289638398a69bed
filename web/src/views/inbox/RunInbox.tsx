import { usePanelIsOpen } from "~/components/open";
import type { RunViewProps } from "../views";
import { InboxList } from "./InboxList";

export default function RunInbox({ run }: RunViewProps) {
  const isBehind = usePanelIsOpen();
  return (
    <div className="mx-auto w-full max-w-2xl p-4">
      <InboxList run={run} keys={!isBehind} />
    </div>
  );
}
