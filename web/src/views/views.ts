/** The views of a run, in the order of their tabs. The first one is shown where none is named. */

import type { LucideIcon } from "lucide-react";
import { CalendarClock, History, Inbox, Kanban, List, MessagesSquare, Users, Workflow } from "lucide-react";
import { type ComponentType, type LazyExoticComponent, lazy } from "react";

export type RunViewProps = { run: string };
export type RunView = {
  /** Its name in the address, and the key of its title: `view.ID`. */
  id: string;
  icon: LucideIcon;
  Component: LazyExoticComponent<ComponentType<RunViewProps>>;
};

export const RUN_VIEWS: readonly RunView[] = [
  { id: "canvas", icon: Workflow, Component: lazy(() => import("./canvas/Canvas")) },
  { id: "board", icon: Kanban, Component: lazy(() => import("./board/Board")) },
  { id: "schedule", icon: CalendarClock, Component: lazy(() => import("./schedule/ScheduleView")) },
  { id: "timeline", icon: History, Component: lazy(() => import("./timeline/Timeline")) },
  { id: "team", icon: Users, Component: lazy(() => import("./team/Team")) },
  { id: "list", icon: List, Component: lazy(() => import("./list/TaskList")) },
  { id: "inbox", icon: Inbox, Component: lazy(() => import("./inbox/RunInbox")) },
  { id: "chat", icon: MessagesSquare, Component: lazy(() => import("./chat/Chat")) },
];

/** Returns the view of that name, or the first one. */
export function viewNamed(id: string | undefined): RunView {
  const found = RUN_VIEWS.find((view) => view.id === id) ?? RUN_VIEWS[0];
  if (!found) throw new Error("there is no view");
  return found;
}
