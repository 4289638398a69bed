/** The topics by which the events of a run are filtered. */

export const TOPICS = ["question", "task", "phase", "session", "problem", "run"] as const;
export type EventTopic = (typeof TOPICS)[number];

/** `calls` shows what agents asked of each other, instead of events. */
export type ActivityTopic = EventTopic | "calls";

export const isActivityTopic = (word: string): word is ActivityTopic =>
  word === "calls" || (TOPICS as readonly string[]).includes(word);
