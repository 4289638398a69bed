import { Navigate } from "@tanstack/react-router";
import { useLoadedRuns } from "~/api/hooks";
import { QueryFallback } from "~/components/QueryFallback";

/** The start page: what needs the user, or the list of runs while there is none. */
export default function Home() {
  const runs = useLoadedRuns();
  if (!runs.data) {
    return (
      <main id="main" className="min-h-0 flex-1 overflow-y-auto">
        <QueryFallback queries={[runs]} />
      </main>
    );
  }
  // The list of runs was a part of this page.
  const toRuns = runs.data.length === 0 || location.hash === "#runs";
  return <Navigate to={toRuns ? "/runs" : "/needs-you"} replace />;
}
