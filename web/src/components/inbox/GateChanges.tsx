import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ChangeSummary, FileChange, GateRow, GateTask } from "~/api/generated";
import { encodePathSegment } from "~/api/http";
import { Button } from "~/components/Button";
import { DiffFiles } from "~/components/DiffFiles";
import { marksText } from "~/components/marks";
import { LargeFileList } from "./LargeFileList";

/** Files and tasks that a card lists at first, so that the buttons below are near. */
const LISTED_MAX = 6;

type Props = { run: string; gate: GateRow };
type Scope = "all" | "sinceRejection";

/** What the approval of a phase covers: its tasks, the changed files, and their diff on request. */
export function GateChanges({ run, gate }: Props) {
  const { t } = useTranslation();
  const [shown, setShown] = useState<Scope | null>(null);
  const [before, round] = [gate.rounds.at(-2), gate.rounds.at(-1)];
  const report = round?.report;
  const changes = report?.changes;
  const latest = report?.changesSinceRejection;
  const path = `/api/runs/${encodePathSegment(run)}/phases/${gate.phase}/diff`;
  const toggle = (scope: Scope) => (
    <Button
      variant="quiet"
      aria-expanded={shown === scope}
      onClick={() => setShown(shown === scope ? null : scope)}
    >
      {shown === scope ? t("gate.hideDiff") : t("gate.showDiff")}
    </Button>
  );
  return (
    <>
      {gate.round > 1 && (
        <p className="break-words text-soft text-xs">
          <b className="text-ink">{t("gate.round", { n: gate.round })}</b>
          {before?.reason && ` · ${t("gate.lastReason", { reason: before.reason })}`}
        </p>
      )}
      {round?.isUnchanged || latest?.nFiles === 0 ? (
        <b className="text-xs">{t("gate.sameAsRejected")}</b>
      ) : (
        latest && (
          <p className="flex flex-wrap items-center gap-2 text-xs">
            {t("gate.sinceRejection")} <ChangeTotals changes={latest} /> {toggle("sinceRejection")}
          </p>
        )
      )}
      <GateTasks gate={gate} />
      <LargeFileList files={gate.tasks.flatMap((task) => task.leftOut)} />
      {changes && (
        <div className="flex flex-col gap-1 text-xs">
          <p className="flex flex-wrap items-center gap-2">
            {changes.nFiles === 0 ? (
              t("gate.noFiles")
            ) : (
              <>
                <ChangeTotals changes={changes} /> {toggle("all")}
              </>
            )}
          </p>
          {shown !== "all" && <ChangedFiles changes={changes} />}
        </div>
      )}
      {shown && (
        <div className="max-h-[60vh] overflow-y-auto rounded-lg border border-line bg-panel">
          <DiffFiles path={shown === "all" ? path : `${path}?sinceRejection=true`} />
        </div>
      )}
    </>
  );
}

function GateTasks({ gate }: { gate: GateRow }) {
  const { t } = useTranslation();
  // What is not simply done and checked must not be cut off.
  const isPlain = ({ state, marks }: GateTask) => state === "done" && marks.length === 0;
  const tasks = [...gate.tasks].sort((left, right) => Number(isPlain(left)) - Number(isPlain(right)));
  return (
    <ShortList items={tasks} nTotal={tasks.length} className="text-soft text-xs">
      {(task) => (
        <li key={task.id}>
          <b className="font-mono">{task.id}</b> {task.title}
          {task.state !== "done" && ` · ${t(`state.${task.state}`)}`}
          {task.marks.length > 0 && ` · ${marksText(t, task.marks)}`}
        </li>
      )}
    </ShortList>
  );
}

function ChangedFiles({ changes }: { changes: ChangeSummary }) {
  return (
    <ShortList items={changes.files} nTotal={changes.nFiles} className="text-xs">
      {(file) => (
        <li key={file.path} data-file className="flex gap-2">
          <code className="min-w-0 truncate font-mono" title={file.path}>
            {file.path}
          </code>
          <FileLines file={file} />
        </li>
      )}
    </ShortList>
  );
}

type ShortListProps<T> = {
  items: readonly T[];
  /** May be more than the items that are known. */
  nTotal: number;
  className: string;
  children: (item: T) => ReactNode;
};

/** The first items, and a button that shows the others. */
function ShortList<T>({ items, nTotal, className, children }: ShortListProps<T>) {
  const { t } = useTranslation();
  const [isLong, setIsLong] = useState(false);
  const shown = isLong ? items : items.slice(0, LISTED_MAX);
  const more = nTotal - shown.length;
  return (
    <ul className={className}>
      {shown.map(children)}
      {more > 0 && (
        <li>
          {isLong || items.length <= LISTED_MAX ? (
            t("gate.more", { count: more })
          ) : (
            <button
              type="button"
              className="text-soft underline hover:text-ink max-md:min-h-10"
              onClick={() => setIsLong(true)}
            >
              {t("gate.more", { count: more })}
            </button>
          )}
        </li>
      )}
    </ul>
  );
}

function FileLines({ file }: { file: FileChange }) {
  const { t } = useTranslation();
  if (!file.lines) return <span className="text-soft">{t("changes.binary")}</span>;
  return (
    <span>
      <b className="text-done">+{file.lines.added}</b> <b className="text-fail">−{file.lines.removed}</b>
    </span>
  );
}

function ChangeTotals({ changes }: { changes: ChangeSummary }) {
  const { t } = useTranslation();
  return (
    <span>
      {t("changes.files", { count: changes.nFiles })} <b className="text-done">+{changes.nAdded}</b>{" "}
      <b className="text-fail">−{changes.nRemoved}</b>
    </span>
  );
}
