import type { TFunction } from "i18next";
import type { TaskMark } from "~/api/generated";

/** The marks beside the state of a task, e.g. "unchecked · no changes"; empty if it has none. */
export const marksText = (t: TFunction, marks: readonly TaskMark[]): string =>
  marks.map((mark) => t(`mark.${mark}`)).join(" · ");
