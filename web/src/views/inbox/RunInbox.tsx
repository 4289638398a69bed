import { InboxList } from "~/components/ask/InboxList";
import { usePanelIsOpen } from "~/components/open";

export default function RunInbox({ run }: { run: string }) {
  const isBehind = usePanelIsOpen();
  return (
    <div className="mx-auto w-full max-w-2xl p-4">
      <InboxList run={run} keys={!isBehind} />
    </div>
  );
}
