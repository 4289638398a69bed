/** The one way into a task, from every view: its panel, over the view that is shown. */

import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import type { TaskTab } from "./taskTabs";

/** The view that is shown, or lies under the panel. */
export function useCurrentView(): string | undefined {
  const { view } = useParams({ strict: false });
  const { over } = useSearch({ strict: false });
  return view ?? over;
}

/** Tells whether a panel lies over the view. Then it has the keys, and nothing below it answers to them. */
export function usePanelIsOpen(): boolean {
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

/** The way to a session, where it is not the one that its task has now. */
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
