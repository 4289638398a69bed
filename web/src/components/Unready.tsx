import type { UseQueryResult } from "@tanstack/react-query";
import { Loading } from "./Loading";
import { Problem } from "./Problem";

/** What stands there while not all that is needed has come: grey lines, or what went wrong and the way out. */
export function Unready({ needed }: { needed: Pick<UseQueryResult, "status" | "error" | "refetch">[] }) {
  const failed = needed.filter(({ status }) => status === "error");
  if (!failed[0]) return <Loading />;
  return (
    <Problem error={failed[0].error} retry={() => void Promise.all(failed.map(({ refetch }) => refetch()))} />
  );
}
