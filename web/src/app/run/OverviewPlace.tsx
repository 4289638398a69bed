import { useRow } from "~/api/hooks";
import { Loading } from "~/components/Loading";
import { Overview } from "~/views/overview/Overview";
import { useRunActions } from "./useRunActions";

/** How a run is doing, or what it has made. */
export default function OverviewPlace({ run }: { run: string }) {
  const row = useRow(run, "run", "run");
  const { actions } = useRunActions(row);
  if (!row) return <Loading />;
  return <Overview row={row} merge={actions.find(({ id }) => id === "land")} />;
}
