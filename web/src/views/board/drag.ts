/** The data of drag and drop on the board. */

import type { Priority } from "~/api/generated";
import { PRIORITIES } from "./toBoard";

type DragData = Record<string | symbol, unknown>;

const CARD = Symbol("card");
const SECTION = Symbol("section");

export const cardData = (task: string, priority: Priority): DragData => ({ [CARD]: true, task, priority });
export const sectionData = (priority: Priority): DragData => ({ [SECTION]: true, priority });

const isPriority = (word: unknown): word is Priority => PRIORITIES.some((priority) => priority === word);

export function readCardData(data: DragData): { task: string; priority: Priority } | null {
  const { task, priority } = data;
  return data[CARD] === true && typeof task === "string" && isPriority(priority) ? { task, priority } : null;
}

export function readSectionPriority(data: DragData | undefined): Priority | null {
  const priority = data?.["priority"];
  return data?.[SECTION] === true && isPriority(priority) ? priority : null;
}
