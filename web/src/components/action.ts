/** Actions on a run or a task, as menus, buttons and the palette offer them. */

import { type ReactElement, useState } from "react";

type RenderSheet = (onClose: () => void) => ReactElement;

export type UserAction = {
  id: string;
  name: string;
  /** The title of the group of choices that it belongs to, e.g. "Priority". */
  group?: string;
  /** Whether it is the current choice of its group. */
  isSelected?: boolean;
  isDanger?: boolean;
} & (
  | { perform: () => void }
  | {
      /** Opens a sheet that explains the action and confirms it. */
      confirm: RenderSheet;
    }
);

/** Starts actions; `sheet` is the open confirmation, if any. */
export function useActionStarter(): { start: (action: UserAction) => void; sheet: ReactElement | null } {
  const [confirming, setConfirming] = useState<{ confirm: RenderSheet } | null>(null);
  return {
    start: (action) => ("confirm" in action ? setConfirming(action) : action.perform()),
    sheet: confirming?.confirm(() => setConfirming(null)) ?? null,
  };
}
