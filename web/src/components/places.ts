/** The places of a run, and the ways to show its tasks. */

export const PLACES = ["needs-you", "overview", "work", "review", "activity", "team"] as const;
export type PlaceName = (typeof PLACES)[number];

export const DEFAULT_PLACE: PlaceName = "overview";

export const WORK_VIEWS = ["list", "board", "graph", "schedule"] as const;
export type WorkView = (typeof WORK_VIEWS)[number];

export const isPlace = (word: string): word is PlaceName => (PLACES as readonly string[]).includes(word);
export const isWorkView = (word: string): word is WorkView =>
  (WORK_VIEWS as readonly string[]).includes(word);

type PlaceAddress = { place: PlaceName; view?: WorkView };

/** Where the views of earlier versions are now. Their links are still in messages and bookmarks. */
const MOVED: Record<string, PlaceAddress> = {
  inbox: { place: "needs-you" },
  list: { place: "work", view: "list" },
  board: { place: "work", view: "board" },
  canvas: { place: "work", view: "graph" },
  schedule: { place: "work", view: "schedule" },
  timeline: { place: "activity" },
  chat: { place: "activity" },
};

/** Returns the place of an old view name, or `undefined` if it has not moved. */
export const movedPlace = (name: string): PlaceAddress | undefined =>
  Object.hasOwn(MOVED, name) ? MOVED[name] : undefined;
