import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { getText } from "~/api/http";
import { Button } from "./Button";
import { type DiffFile, type DiffLine, parseDiff } from "./diff";
import { ErrorMessage } from "./ErrorMessage";
import { Loading } from "./Loading";
import { Notice } from "./Notice";
import { fileVersion, useViewedCount, useViewedFile } from "./viewedFiles";

const LINE_STYLES: Record<DiffLine["kind"], string> = {
  add: "bg-done/12",
  remove: "bg-fail/12",
  same: "",
  hunk: "bg-accent-soft text-soft",
};
const LINE_SIGNS: Record<DiffLine["kind"], string> = { add: "+", remove: "−", same: " ", hunk: "" };
/** A file with more lines is folded, so that the page stays fast. */
const OPEN_LINES_MAX = 400;

type Props = {
  path: string;
  /** What is compared, if several paths show the same files: a file is marked as viewed there. */
  of?: string;
};

/** A diff from the server, file by file, with a list of the files on wide screens. */
export function DiffFiles({ path, of }: Props) {
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
  return <DiffOfFiles of={of ?? path} files={diff.data} refresh={refresh} />;
}

type DiffOfFilesProps = { of: string; files: readonly DiffFile[]; refresh: ReactNode };

function DiffOfFiles({ of, files, refresh }: DiffOfFilesProps) {
  const { t } = useTranslation();
  const versions = useMemo(() => files.map((file) => fileVersion(of, file)), [of, files]);
  const nViewed = useViewedCount(versions);
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const boxes = useRef<(HTMLElement | null)[]>([]);
  return (
    <div className="@container p-4">
      <p className="mb-3 flex flex-wrap items-center gap-2 text-soft">
        {t("changes.files", { count: files.length })} <b className="text-done">+{added}</b>
        <b className="text-fail">−{removed}</b>
        {files.length > 1 && <span>· {t("changes.viewedOf", { n: nViewed, count: files.length })}</span>}
        {refresh}
      </p>
      <div className="flex items-start gap-4">
        {files.length > 1 && (
          <nav
            aria-label={t("changes.fileList")}
            className="sticky top-0 max-h-[70vh] w-60 shrink-0 overflow-y-auto @max-4xl:hidden"
          >
            <ul>
              {files.map((file, index) => (
                <li key={file.path}>
                  <FileLink
                    file={file}
                    version={versions[index] ?? ""}
                    onSelect={() => boxes.current[index]?.scrollIntoView({ block: "start" })}
                  />
                </li>
              ))}
            </ul>
          </nav>
        )}
        <div className="flex min-w-0 flex-1 flex-col gap-3">
          {files.map((file, index) => (
            <div
              key={file.path}
              ref={(box) => {
                boxes.current[index] = box;
              }}
            >
              <ChangedFile file={file} version={versions[index] ?? ""} />
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

type FileLinkProps = { file: DiffFile; version: string; onSelect: () => void };

/** An entry of the list of files: the name before its folder, which may be long. */
function FileLink({ file, version, onSelect }: FileLinkProps) {
  const [isViewed] = useViewedFile(version);
  const cut = file.path.lastIndexOf("/") + 1;
  return (
    <button
      type="button"
      title={file.path}
      onClick={onSelect}
      className={`flex w-full items-baseline gap-1.5 rounded px-2 py-1 text-left text-xs hover:bg-line/50 ${isViewed ? "text-faint" : ""}`}
    >
      <span className="min-w-0 flex-1 truncate font-mono">
        {file.path.slice(cut)} <span className="text-faint">{file.path.slice(0, cut)}</span>
      </span>
      {isViewed && <span aria-hidden>✓</span>}
      <span className="text-done">+{file.added}</span>
      <span className="text-fail">−{file.removed}</span>
    </button>
  );
}

function ChangedFile({ file, version }: { file: DiffFile; version: string }) {
  const { t } = useTranslation();
  const [isViewed, setViewed] = useViewedFile(version);
  // A folded file is not rendered: a large diff has more lines than a page can hold.
  const [isOpen, setIsOpen] = useState(!isViewed && file.lines.length <= OPEN_LINES_MAX);
  return (
    <details
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      className="relative overflow-hidden rounded-lg border border-line bg-panel"
    >
      <summary className="flex cursor-pointer gap-2 bg-page px-3 py-1.5 pr-28 max-md:min-h-11 max-md:items-center">
        <code className="min-w-0 flex-1 truncate font-mono font-semibold text-xs" title={file.path}>
          {file.path}
        </code>
        <b className="text-done text-xs">+{file.added}</b>
        <b className="text-fail text-xs">−{file.removed}</b>
      </summary>
      <label className="absolute top-1.5 right-3 flex items-center gap-1.5 text-soft text-xs max-md:top-3.5">
        <input
          type="checkbox"
          checked={isViewed}
          onChange={({ currentTarget: { checked } }) => {
            setViewed(checked);
            setIsOpen(!checked);
          }}
        />
        {t("changes.viewed")}
      </label>
      {!isOpen ? null : file.binary ? (
        <p className="px-3 py-2 text-soft">{t("changes.binary")}</p>
      ) : (
        <DiffLines lines={file.lines} />
      )}
    </details>
  );
}

function DiffLines({ lines }: { lines: readonly DiffLine[] }) {
  const number = "inline-block w-9 shrink-0 select-none pr-1.5 text-right text-faint tabular-nums";
  return (
    <pre tabIndex={0} className="overflow-x-auto py-1 font-mono text-xs leading-[1.55] outline-offset-[-2px]">
      {lines.map((line, index) => (
        <div key={index} className={`min-w-max px-1.5 ${LINE_STYLES[line.kind]}`}>
          <span aria-hidden className={`${number} max-md:hidden`}>
            {line.before}
          </span>
          <span aria-hidden className={number}>
            {line.after}
          </span>
          <span aria-hidden className="mr-1 inline-block w-3 select-none text-center text-faint">
            {LINE_SIGNS[line.kind]}
          </span>
          {line.text}
        </div>
      ))}
    </pre>
  );
}
