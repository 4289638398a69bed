import { useParams } from "@tanstack/react-router";
import type { RunViewProps } from "../views";
import { InboxList } from "./InboxList";

export default function RunInbox({ run }: RunViewProps) {
  const { task } = useParams({ strict: false });
  return (
    <div className="mx-auto w-full max-w-2xl p-4">
      {/* A panel over it has the keys. */}
      <InboxList run={run} keys={!task} />
    </div>
  );
}
