import { NeedsYou } from "./NeedsYou";

/** What needs the user in one run. */
export default function NeedsYouOfRun({ run }: { run: string }) {
  return <NeedsYou run={run} />;
}
