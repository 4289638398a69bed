import { useRow } from "~/api/hooks";
import { encodePathSegment } from "~/api/http";
import { DiffFiles } from "~/components/DiffFiles";

/** The diff of a task, file by file. */
export default function Changes({ run, task }: { run: string; task: string }) {
  const declared = useRow(run, "taskDetail", task)?.touches;
  return (
    <DiffFiles
      declared={declared}
      path={`/api/runs/${encodePathSegment(run)}/tasks/${encodePathSegment(task)}/diff`}
    />
  );
}
