/** The views of a run, in the order of their tabs. The first one is shown where none is named. */

import type { LucideIcon } from "lucide-react";
import { CalendarClock, History, Inbox, Kanban, List, MessagesSquare, Users, Workflow } from "lucide-react";
import type { ComponentType } from "react";
import { lazily } from "~/components/lazily";

export type RunView = {
  /** Its name in the address, and the key of its title: `view.ID`. */
  id: string;
  icon: LucideIcon;
  Component: ComponentType<{ run: string }>;
};

export const RUN_VIEWS: readonly RunView[] = [
  { id: "canvas", icon: Workflow, Component: lazily(() => import("~/views/canvas/Canvas")) },
  { id: "board", icon: Kanban, Component: lazily(() => import("~/views/board/Board")) },
  { id: "schedule", icon: CalendarClock, Component: lazily(() => import("~/views/schedule/ScheduleView")) },
  { id: "timeline", icon: History, Component: lazily(() => import("~/views/timeline/Timeline")) },
  { id: "team", icon: Users, Component: lazily(() => import("~/views/team/Team")) },
  { id: "list", icon: List, Component: lazily(() => import("~/views/list/TaskList")) },
  { id: "inbox", icon: Inbox, Component: lazily(() => import("~/views/inbox/RunInbox")) },
  { id: "chat", icon: MessagesSquare, Component: lazily(() => import("~/views/chat/Chat")) },
];

/** Returns the view of that name, or the first one. */
export function viewNamed(id: string | undefined): RunView {
  const found = RUN_VIEWS.find((view) => view.id === id) ?? RUN_VIEWS[0];
  if (!found) throw new Error("there is no view");
  return found;
}
