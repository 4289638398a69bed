/** What can be done with a run or a task now: a menu has it, a button, and the palette. */

import { type ReactElement, useState } from "react";

type Sheet = (onClose: () => void) => ReactElement;

export type Action = {
  id: string;
  name: string;
  /** What it is one choice of. */
  group?: string;
  /** Tells whether it is the choice that holds already. */
  isOn?: boolean;
  isDanger?: boolean;
} & (
  | { act: () => void }
  | {
      /** Says what will happen, and asks before it does. */
      ask: Sheet;
    }
);

/** Begins actions, and has the sheet of the one that asks first. */
export function useBegin(): { begin: (action: Action) => void; sheet: ReactElement | null } {
  const [asked, setAsked] = useState<{ ask: Sheet } | null>(null);
  return {
    begin: (action) => ("ask" in action ? setAsked(action) : action.act()),
    sheet: asked?.ask(() => setAsked(null)) ?? null,
  };
}
