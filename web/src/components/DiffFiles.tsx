import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { getText } from "~/api/http";
import { Button } from "./Button";
import { type DiffFile, type DiffLine, parseDiff } from "./diff";
import { ErrorMessage } from "./ErrorMessage";
import { Loading } from "./Loading";
import { Notice } from "./Notice";

const LINE_STYLES: Record<DiffLine["kind"], string> = {
  add: "bg-done/12",
  remove: "bg-fail/12",
  same: "",
  hunk: "bg-accent-soft text-soft",
};
const LINE_SIGNS: Record<DiffLine["kind"], string> = { add: "+", remove: "−", same: " ", hunk: "" };
/** A file with more lines is folded, so that the page stays fast. */
const OPEN_LINES_MAX = 400;

/** A diff from the server, file by file. */
export function DiffFiles({ path }: { path: string }) {
  const { t } = useTranslation();
  const diff = useQuery({
    queryKey: ["diff", path],
    queryFn: ({ signal }) => getText(path, signal),
    select: parseDiff,
    staleTime: 0,
  });
  if (diff.status === "pending") return <Loading />;
  if (diff.status === "error") return <ErrorMessage error={diff.error} retry={() => void diff.refetch()} />;
  const refresh = (
    <Button variant="quiet" onClick={() => void diff.refetch()}>
      {t("changes.refresh")}
    </Button>
  );
  if (diff.data.length === 0) return <Notice title={t("changes.empty")}>{refresh}</Notice>;
  const added = diff.data.reduce((sum, file) => sum + file.added, 0);
  const removed = diff.data.reduce((sum, file) => sum + file.removed, 0);
  return (
    <div className="flex flex-col gap-3 p-4">
      <p className="flex items-center gap-2 text-soft">
        {t("changes.files", { count: diff.data.length })} <b className="text-done">+{added}</b>
        <b className="text-fail">−{removed}</b> {refresh}
      </p>
      {diff.data.map((file) => (
        <ChangedFile key={file.path} file={file} />
      ))}
    </div>
  );
}

function ChangedFile({ file }: { file: DiffFile }) {
  const { t } = useTranslation();
  // A folded file is not rendered: a large diff has more lines than a page can hold.
  const [isOpen, setIsOpen] = useState(file.lines.length <= OPEN_LINES_MAX);
  return (
    <details
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      className="overflow-hidden rounded-lg border border-line"
    >
      <summary className="flex cursor-pointer gap-2 bg-page px-3 py-1.5">
        <code className="min-w-0 flex-1 truncate font-mono font-semibold text-xs">{file.path}</code>
        <b className="text-done text-xs">+{file.added}</b>
        <b className="text-fail text-xs">−{file.removed}</b>
      </summary>
      {!isOpen ? null : file.binary ? (
        <p className="px-3 py-2 text-soft">{t("changes.binary")}</p>
      ) : (
        <pre tabIndex={0} className="overflow-x-auto py-1 font-mono text-xs leading-[1.55]">
          {file.lines.map((line, index) => (
            <div key={index} className={`min-w-max px-3 ${LINE_STYLES[line.kind]}`}>
              <span aria-hidden className="mr-2 inline-block w-2 select-none text-faint">
                {LINE_SIGNS[line.kind]}
              </span>
              {line.text}
            </div>
          ))}
        </pre>
      )}
    </details>
  );
}
