import { InboxList } from "~/components/inbox/InboxList";
import { useIsPanelOpen } from "~/components/navigation";

export default function RunInbox({ run }: { run: string }) {
  const isPanelOpen = useIsPanelOpen();
  return (
    <div className="mx-auto w-full max-w-2xl p-4">
      <InboxList run={run} keys={!isPanelOpen} />
    </div>
  );
}
