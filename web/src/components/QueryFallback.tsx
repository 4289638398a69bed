import type { UseQueryResult } from "@tanstack/react-query";
import { ErrorMessage } from "./ErrorMessage";
import { Loading } from "./Loading";

/** Shown until all queries of a view have data: a skeleton, or the first error with a button to retry. */
export function QueryFallback({
  queries,
}: {
  queries: Pick<UseQueryResult, "status" | "error" | "refetch">[];
}) {
  const failed = queries.filter(({ status }) => status === "error");
  if (!failed[0]) return <Loading />;
  return (
    <ErrorMessage
      error={failed[0].error}
      retry={() => void Promise.all(failed.map(({ refetch }) => refetch()))}
    />
  );
}
