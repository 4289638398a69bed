import { useVirtualizer } from "@tanstack/react-virtual";
import { scaleTime } from "d3-scale";
import { CalendarClock, ZoomIn, ZoomOut } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { RowsByKey } from "~/api/cache";
import type { Schedule } from "~/api/generated";
import { useRow, useRows } from "~/api/hooks";
import { useSchedule } from "~/api/layout";
import { IconButton } from "~/components/Button";
import { ErrorMessage } from "~/components/ErrorMessage";
import { Loading } from "~/components/Loading";
import { Notice } from "~/components/Notice";
import { TaskSearchField, useTaskSearch } from "~/components/TaskSearchField";
import { matchingTasks } from "~/components/taskMatchesSearch";
import { toCuts, toScaleStops } from "./cuts";
import { Legend } from "./Legend";
import { TimeAxis } from "./TimeAxis";
import { FillPatterns, TRACK_HEIGHT, Track } from "./Track";
import { type GroupBy, toScheduleRows, toTimeRange } from "./toSchedule";

/** The width of the row titles on small and on large screens. */
const NAME_WIDTHS = [96, 168] as const;
const ZOOM_MAX = 32;
const NO_TASKS: RowsByKey<"task"> = {};

/** When tasks ran, run, and are predicted to run. */
export default function ScheduleView({ run }: { run: string }) {
  const { t } = useTranslation();
  const hasEnded = (useRow(run, "run", "run")?.endedAt ?? null) !== null;
  const schedule = useSchedule(run, hasEnded);
  if (schedule.status === "error")
    return <ErrorMessage error={schedule.error} retry={() => void schedule.refetch()} />;
  if (!schedule.data) return <Loading />;
  if (schedule.data.bars.length === 0) {
    return <Notice title={t("schedule.empty")} icon={<CalendarClock aria-hidden size={22} />} />;
  }
  return <ScheduleBars run={run} schedule={schedule.data} />;
}

function ScheduleBars({ run, schedule }: { run: string; schedule: Schedule }) {
  const { t } = useTranslation();
  const tasks = useRows(run, "task").data ?? NO_TASKS;
  const [by, setBy] = useState<GroupBy>("agent");
  const [zoom, setZoom] = useState(1);
  const scroller = useRef<HTMLElement>(null);
  const outer = useElementWidth(scroller);
  const nameWidth = NAME_WIDTHS[outer < 640 ? 0 : 1];
  const visibleWidth = outer - nameWidth - 16;
  const width = Math.max(200, visibleWidth * zoom);
  const [search, setSearch] = useTaskSearch();
  const shown = useMemo(() => matchingTasks(tasks, search), [tasks, search]);
  const rows = useMemo(
    () =>
      toScheduleRows(
        schedule.bars.filter(({ task }) => search.trim() === "" || shown[task]),
        by,
      ),
    [schedule, by, shown, search],
  );
  const { scale, cuts } = useMemo(() => {
    const range = toTimeRange(schedule);
    const cuts = toCuts(schedule, range);
    const { times, places } = toScaleStops(range, cuts, width);
    return { scale: scaleTime(times, places), cuts };
  }, [schedule, width]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (n) => Math.max(1, rows[n]?.tracks.length ?? 1) * TRACK_HEIGHT + 9,
    getItemKey: (n) => rows[n]?.id ?? n,
    overscan: 8,
  });
  // The number of tracks of a row may have changed.
  useEffect(() => {
    virtualizer.measure();
    void rows;
  }, [virtualizer, rows]);
  return (
    <div className="flex h-full flex-col p-4 [--predicted:color-mix(in_srgb,var(--wait)_22%,var(--panel))]">
      <FillPatterns />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 pb-2">
        <fieldset className="flex rounded-lg border border-line bg-panel p-0.5">
          <legend className="sr-only">{t("schedule.rows")}</legend>
          {(["agent", "task"] as const).map((choice) => (
            <label
              key={choice}
              className="cursor-pointer rounded-md px-2.5 py-1 font-medium text-soft has-checked:bg-page has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                name="by"
                className="sr-only"
                checked={by === choice}
                onChange={() => setBy(choice)}
              />
              {t(`schedule.by.${choice}`)}
            </label>
          ))}
        </fieldset>
        <TaskSearchField search={search} onSearch={setSearch} className="w-52 max-md:w-full" />
        <div className="flex">
          <IconButton
            label={t("canvas.zoomIn")}
            disabled={zoom >= ZOOM_MAX}
            onClick={() => setZoom(zoom * 2)}
          >
            <ZoomIn size={15} />
          </IconButton>
          <IconButton label={t("canvas.zoomOut")} disabled={zoom <= 1} onClick={() => setZoom(zoom / 2)}>
            <ZoomOut size={15} />
          </IconButton>
        </div>
        <Legend schedule={schedule} hasCuts={cuts.length > 0} />
      </div>
      <section
        ref={scroller}
        tabIndex={0}
        aria-label={t("view.schedule")}
        className="min-h-0 flex-1 overflow-auto rounded-xl border border-line bg-panel"
      >
        <div style={{ width: nameWidth + width + 16 }}>
          <TimeAxis
            scale={scale}
            cuts={cuts}
            width={width}
            left={nameWidth}
            now={schedule.endAt === null ? null : schedule.nowAt}
          />
          <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
            {virtualizer.getVirtualItems().map(({ index, key, start, size }) => {
              const row = rows[index];
              if (!row) return null;
              return (
                <div
                  key={key}
                  className="absolute inset-x-0 flex border-line border-t"
                  style={{ top: start, height: size }}
                >
                  <div
                    className="sticky left-0 z-10 flex shrink-0 flex-col justify-center border-line border-r bg-panel px-3 leading-tight"
                    style={{ width: nameWidth }}
                  >
                    <b className="truncate font-semibold">{row.id || t("schedule.unassigned")}</b>
                    {by === "task" && (
                      <span className="truncate text-soft text-xs">{tasks[row.id]?.title}</span>
                    )}
                  </div>
                  <div className="py-1">
                    {row.tracks.map((bars, n) => (
                      <Track
                        key={n}
                        bars={bars}
                        scale={scale}
                        cuts={cuts}
                        width={width}
                        tasks={tasks}
                        schedule={schedule}
                      />
                    ))}
                  </div>
                </div>
              );
            })}
          </div>
        </div>
      </section>
    </div>
  );
}

/** The width of an element, kept current. */
function useElementWidth(box: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(900);
  useEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  return width;
}
