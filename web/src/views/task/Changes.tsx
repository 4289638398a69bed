import { encodePathSegment } from "~/api/http";
import { DiffFiles } from "~/components/DiffFiles";

/** The diff of a task, file by file. */
export default function Changes({ run, task }: { run: string; task: string }) {
  return <DiffFiles path={`/api/runs/${encodePathSegment(run)}/tasks/${encodePathSegment(task)}/diff`} />;
}
