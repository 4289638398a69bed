/** The views of a run, in the order of their tabs. The first one is the default. */

import type { LucideIcon } from "lucide-react";
import { CalendarClock, History, Inbox, Kanban, List, MessagesSquare, Users, Workflow } from "lucide-react";
import type { ComponentType } from "react";
import { lazyWithRetry } from "~/components/lazyWithRetry";

export type RunView = {
  /** Part of the address; `view.ID` is the key of its title. */
  id: string;
  icon: LucideIcon;
  Component: ComponentType<{ run: string }>;
};

export const RUN_VIEWS: readonly RunView[] = [
  { id: "canvas", icon: Workflow, Component: lazyWithRetry(() => import("~/views/canvas/Canvas")) },
  { id: "board", icon: Kanban, Component: lazyWithRetry(() => import("~/views/board/Board")) },
  {
    id: "schedule",
    icon: CalendarClock,
    Component: lazyWithRetry(() => import("~/views/schedule/ScheduleView")),
  },
  { id: "timeline", icon: History, Component: lazyWithRetry(() => import("~/views/timeline/Timeline")) },
  { id: "team", icon: Users, Component: lazyWithRetry(() => import("~/views/team/Team")) },
  { id: "list", icon: List, Component: lazyWithRetry(() => import("~/views/list/TaskList")) },
  { id: "inbox", icon: Inbox, Component: lazyWithRetry(() => import("~/views/inbox/RunInbox")) },
  { id: "chat", icon: MessagesSquare, Component: lazyWithRetry(() => import("~/views/chat/Chat")) },
];

/** Returns the view with this id, or the default one. */
export function findRunView(id: string | undefined): RunView {
  const found = RUN_VIEWS.find((view) => view.id === id) ?? RUN_VIEWS[0];
  if (!found) throw new Error("there is no view");
  return found;
}
