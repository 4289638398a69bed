/** The data of drag and drop on the board. */

import type { Priority } from "~/api/generated";
import { PRIORITIES } from "./toBoard";

type Data = Record<string | symbol, unknown>;

const CARD = Symbol("card");
const SECTION = Symbol("section");

export const cardData = (task: string, priority: Priority): Data => ({ [CARD]: true, task, priority });
export const sectionData = (priority: Priority): Data => ({ [SECTION]: true, priority });

const isPriority = (word: unknown): word is Priority => PRIORITIES.some((priority) => priority === word);

export function readCard(data: Data): { task: string; priority: Priority } | null {
  const { task, priority } = data;
  return data[CARD] === true && typeof task === "string" && isPriority(priority) ? { task, priority } : null;
}

export function readSection(data: Data | undefined): Priority | null {
  const priority = data?.["priority"];
  return data?.[SECTION] === true && isPriority(priority) ? priority : null;
}
