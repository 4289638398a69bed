/** Opens the panel of a task or a session over the current view. */

import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import type { TaskTab } from "./taskTabs";

/** The view that is shown, or is behind the panel. */
export function useCurrentView(): string | undefined {
  const { view } = useParams({ strict: false });
  const { over } = useSearch({ strict: false });
  return view ?? over;
}

/** Whether a panel covers the view. Shortcuts of the view are off then. */
export function useIsPanelOpen(): boolean {
  const { task, session } = useParams({ strict: false });
  return task !== undefined || session !== undefined;
}

export function useOpenTask(): (task: string, tab?: TaskTab, run?: string) => void {
  const navigate = useNavigate();
  const { run: shown } = useParams({ strict: false });
  const over = useCurrentView();
  return useCallback(
    (task, tab, run = shown) => {
      if (!run) return;
      const search = { ...(tab && { tab }), ...(over && run === shown && { over }) };
      void navigate({ to: "/runs/$run/tasks/$task", params: { run, task }, search });
    },
    [navigate, shown, over],
  );
}

/** Opens a session by itself, e.g. an earlier one of a task. */
export function useOpenSession(): (session: string) => void {
  const navigate = useNavigate();
  const { run } = useParams({ strict: false });
  const over = useCurrentView();
  return useCallback(
    (session) => {
      if (!run) return;
      void navigate({
        to: "/runs/$run/sessions/$session",
        params: { run, session },
        search: over ? { over } : {},
      });
    },
    [navigate, run, over],
  );
}
