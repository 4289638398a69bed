/** The address of what a run shows, and how to open a task, a session or an item that needs the user. */

import { useNavigate, useParams, useRouter } from "@tanstack/react-router";
import { useCallback } from "react";
import type { InboxEntry } from "~/api/generated";
import { type ActivityTopic, isActivityTopic } from "./eventTopics";
import { isPlace, isWorkView, movedPlace, type PlaceName, type WorkView } from "./places";
import { isTaskTab, type TaskTab } from "./taskTabs";

/** The query parameters of all addresses of a run. */
export type RunSearch = {
  /** The open tab of a task's panel. */
  tab?: TaskTab;
  /** The place behind a panel. */
  over?: PlaceName;
  /** How the tasks are shown. */
  view?: WorkView;
  /** The phase that is reviewed. */
  phase?: number;
  /** Only events of this topic are shown, or calls between agents. */
  topic?: ActivityTopic;
  /** Whether events that explain how Jangdan works are shown, too. */
  detail?: boolean;
  /** Only tasks that match this search are shown. */
  q?: string;
} & NeedsYouSearch;

/** The query parameters of the items that need the user. */
export type NeedsYouSearch = {
  /** The selected item, as `entryName` returns it. */
  item?: string;
  /** Only items of this kind are listed. */
  kind?: string;
};

export function toNeedsYouSearch({ item, kind }: Record<string, unknown>): NeedsYouSearch {
  return {
    ...(typeof item === "string" && { item }),
    ...(typeof kind === "string" && { kind }),
  };
}

export function toRunSearch(search: Record<string, unknown>): RunSearch {
  const { tab, over, view, phase, topic, detail, q } = search;
  const moved = typeof over === "string" ? movedPlace(over) : undefined;
  return {
    ...(typeof tab === "string" && isTaskTab(tab) && { tab }),
    ...(typeof over === "string" && isPlace(over) && { over }),
    ...(typeof view === "string" && isWorkView(view) && { view }),
    ...(typeof phase === "number" && { phase }),
    ...(typeof topic === "string" && isActivityTopic(topic) && { topic }),
    ...(detail === true && { detail }),
    // The router reads a search such as 12 as a number.
    ...((typeof q === "string" || typeof q === "number") && q !== "" && { q: String(q) }),
    ...(moved && { over: moved.place, ...(moved.view && { view: moved.view }) }),
    ...toNeedsYouSearch(search),
  };
}

/** The name of an item in addresses. Ids are unique within a run. */
export const entryName = ({ item }: Pick<InboxEntry, "item">) => `${item.type}.${item.id}`;

/** Whether a panel covers the view. Shortcuts of the view are off then. */
export function useIsPanelOpen(): boolean {
  const { task, session } = useParams({ strict: false });
  return task !== undefined || session !== undefined;
}

type ShownAddress = { run?: string; place?: string; search: RunSearch };

/** Reads the address when it is needed, so that hundreds of tasks are not rendered again when it changes. */
function readAddress({ state }: ReturnType<typeof useRouter>): ShownAddress {
  const params: { run?: string; place?: string } = state.matches.at(-1)?.params ?? {};
  return { ...params, search: toRunSearch(state.location.search) };
}

/** Returns the parameters that stay while a panel is open, so that the place behind it stays as it is. */
function panelSearch({ run: shown, place, search }: ShownAddress, run: string): RunSearch {
  if (run !== shown) return {};
  const { tab: _tab, ...rest } = search;
  return { ...rest, ...(place !== undefined && isPlace(place) && { over: place }) };
}

export function useOpenTask(): (task: string, tab?: TaskTab, run?: string) => void {
  const router = useRouter();
  return useCallback(
    (task, tab, run) => {
      const shown = readAddress(router);
      const target = run ?? shown.run;
      if (!target) return;
      const search = { ...panelSearch(shown, target), ...(tab && { tab }) };
      void router.navigate({ to: "/runs/$run/tasks/$task", params: { run: target, task }, search });
    },
    [router],
  );
}

/** Opens a session by itself, e.g. an earlier one of a task. */
export function useOpenSession(): (session: string) => void {
  const router = useRouter();
  return useCallback(
    (session) => {
      const shown = readAddress(router);
      if (!shown.run) return;
      const params = { run: shown.run, session };
      const search = panelSearch(shown, shown.run);
      void router.navigate({ to: "/runs/$run/sessions/$session", params, search });
    },
    [router],
  );
}

/** Opens an item that needs the user, among the others of its run. */
export function useOpenEntry(): (entry: Pick<InboxEntry, "run" | "item">) => void {
  const navigate = useNavigate();
  return useCallback(
    (entry) =>
      void navigate({
        to: "/runs/$run/$place",
        params: { run: entry.run, place: "needs-you" },
        search: { item: entryName(entry) },
      }),
    [navigate],
  );
}
