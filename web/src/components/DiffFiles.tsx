import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { getText } from "~/api/http";
import { Button } from "./Button";
import { isDeclared } from "./declaredFiles";
import { type DiffFile, type DiffLine, parseDiff } from "./diff";
import { ErrorMessage } from "./ErrorMessage";
import { Loading } from "./Loading";
import { Markdown } from "./Markdown";
import { Notice } from "./Notice";
import { findComment, type ReviewComment, type ReviewComments } from "./reviewComments";
import { useHighlightedLines } from "./useHighlightedLines";
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
  /** Comments on lines, if they can be written. */
  comments?: ReviewComments | undefined;
  /** The files that the plan declares; others are marked. */
  declared?: readonly string[] | undefined;
};

/** A diff from the server, file by file, with a list of the files on wide screens. */
export function DiffFiles({ path, of, ...review }: Props) {
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
  return <DiffOfFiles of={of ?? path} files={diff.data} refresh={refresh} {...review} />;
}

type DiffOfFilesProps = Pick<Props, "comments" | "declared"> & {
  of: string;
  files: readonly DiffFile[];
  refresh: ReactNode;
};

function DiffOfFiles({ of, files, refresh, comments, declared = [] }: DiffOfFilesProps) {
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
              <ChangedFile
                file={file}
                version={versions[index] ?? ""}
                comments={comments}
                isDeclared={isDeclared(file.path, declared)}
              />
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

type ChangedFileProps = {
  file: DiffFile;
  version: string;
  comments: ReviewComments | undefined;
  isDeclared: boolean;
};

function ChangedFile({ file, version, comments, isDeclared }: ChangedFileProps) {
  const { t } = useTranslation();
  const [isViewed, setViewed] = useViewedFile(version);
  // A folded file is not rendered: a large diff has more lines than a page can hold.
  const [isOpen, setIsOpen] = useState(!isViewed && file.lines.length <= OPEN_LINES_MAX);
  const [isRendered, setRendered] = useState(false);
  const text = newMarkdownText(file);
  const fileComment = { path: file.path, line: null, isRemoved: false };
  return (
    <details
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      className="relative overflow-hidden rounded-lg border border-line bg-panel"
    >
      <summary className="flex cursor-pointer gap-2 bg-page px-3 py-1.5 pr-28 max-md:min-h-11 max-md:items-center">
        <code className="min-w-0 truncate font-mono font-semibold text-xs" title={file.path}>
          {file.path}
        </code>
        {!isDeclared && (
          <span className="whitespace-nowrap text-fail text-xs" title={t("changes.notDeclaredHint")}>
            {t("changes.notDeclared")}
          </span>
        )}
        <b className="ml-auto text-done text-xs">+{file.added}</b>
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
      {isOpen && (comments || text !== null) && (
        <div className="flex flex-wrap gap-x-3 px-3 pt-1.5">
          {text !== null && (
            <TextButton onClick={() => setRendered(!isRendered)}>
              {t(isRendered ? "changes.showSource" : "changes.showRendered")}
            </TextButton>
          )}
          {comments && (
            <TextButton onClick={() => comments.write({ ...fileComment, quote: "", text: "" })}>
              {t("changes.commentOnFile")}
            </TextButton>
          )}
        </div>
      )}
      {comments && isOpen && <LineComment comments={comments} place={fileComment} />}
      {!isOpen ? null : file.binary ? (
        <p className="px-3 py-2 text-soft">{t("changes.binary")}</p>
      ) : text !== null && isRendered ? (
        <div className="px-4 py-3">
          <Markdown text={text} />
        </div>
      ) : (
        <DiffLines file={file} comments={comments} />
      )}
    </details>
  );
}

function TextButton({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="rounded text-accent text-xs hover:underline max-md:min-h-11"
    >
      {children}
    </button>
  );
}

/** The text of a Markdown file that is new, so that the diff has all of it. */
function newMarkdownText({ path, lines }: DiffFile): string | null {
  if (!/\.(md|markdown)$/i.test(path) || lines.some(({ kind }) => kind === "same" || kind === "remove"))
    return null;
  return lines.flatMap(({ kind, text }) => (kind === "add" ? [text] : [])).join("\n");
}

type DiffLinesProps = { file: DiffFile; comments: ReviewComments | undefined };

function DiffLines({ file, comments }: DiffLinesProps) {
  const spans = useHighlightedLines(file);
  return (
    <pre tabIndex={0} className="overflow-x-auto py-1 font-mono text-xs leading-[1.55] outline-offset-[-2px]">
      {file.lines.map((line, index) => {
        const place = { path: file.path, line: line.after ?? line.before, isRemoved: line.kind === "remove" };
        return (
          <Fragment key={index}>
            <div className={`min-w-max px-1.5 ${LINE_STYLES[line.kind]}`}>
              <LineNumbers
                line={line}
                onComment={
                  comments && line.kind !== "hunk"
                    ? () => {
                        if (!findComment(comments.comments, place))
                          comments.write({ ...place, quote: line.text, text: "" });
                      }
                    : null
                }
              />
              <span aria-hidden className="mr-1 inline-block w-3 select-none text-center text-faint">
                {LINE_SIGNS[line.kind]}
              </span>
              {spans?.[index]
                ? spans[index].map(({ text, kind }, n) => (
                    <span key={n} className={kind ? `code-${kind}` : undefined}>
                      {text}
                    </span>
                  ))
                : line.text}
            </div>
            {comments && place.line !== null && <LineComment comments={comments} place={place} />}
          </Fragment>
        );
      })}
    </pre>
  );
}

const NUMBER = "inline-block w-9 shrink-0 select-none pr-1.5 text-right text-faint tabular-nums";

/** The numbers of a line before and after the change; with a mouse, a click comments on the line. */
function LineNumbers({ line, onComment }: { line: DiffLine; onComment: (() => void) | null }) {
  const { t } = useTranslation();
  const numbers = (
    <>
      <span aria-hidden className={`${NUMBER} max-md:hidden`}>
        {line.before}
      </span>
      <span aria-hidden className={NUMBER}>
        {line.after}
      </span>
    </>
  );
  if (!onComment) return numbers;
  return (
    // With a keyboard, a comment on the file names the line: a tab stop for each line would be in the way.
    <button
      type="button"
      tabIndex={-1}
      title={t("changes.commentOnLine")}
      data-line={line.after ?? line.before}
      onClick={onComment}
      className="cursor-pointer hover:bg-accent-soft hover:text-accent"
    >
      {numbers}
      <span className="sr-only">{t("changes.commentOnLine")}</span>
    </button>
  );
}

type LineCommentProps = {
  comments: ReviewComments;
  place: Pick<ReviewComment, "path" | "line" | "isRemoved">;
};

/** The comment at a place, if there is one: it can be changed until it is sent. */
function LineComment({ comments, place }: LineCommentProps) {
  const { t } = useTranslation();
  const comment = findComment(comments.comments, place);
  if (!comment) return null;
  const label =
    place.line === null
      ? t("changes.commentOn", { place: place.path })
      : t("changes.commentOn", { place: `${place.path}:${place.line}` });
  return (
    <div
      data-comment={place.line ?? "file"}
      className="sticky left-2 my-1 flex w-[min(640px,calc(100cqw-3rem))] flex-col gap-1.5 whitespace-normal rounded-lg border border-line bg-panel p-2.5 font-sans"
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the user has just asked for the field.
        autoFocus={comment.text === ""}
        rows={2}
        aria-label={label}
        placeholder={label}
        value={comment.text}
        onChange={(event) => comments.write({ ...comment, text: event.target.value })}
        className="field-sizing-content max-h-60 w-full resize-none rounded-lg border border-line bg-raise px-2.5 py-1.5 text-sm placeholder:text-faint max-md:text-base"
      />
      <p className="flex items-center justify-between gap-3 text-soft text-xs">
        {t("changes.commentHint")}
        <Button variant="quiet" onClick={() => comments.remove(place)}>
          {t("changes.deleteComment")}
        </Button>
      </p>
    </div>
  );
}
