/** The kinds of items that need the user, with their icons, and the groups of the list. */

import {
  CircleHelp,
  FileDiff,
  KeyRound,
  type LucideIcon,
  ShieldQuestionMark,
  Stamp,
  TriangleAlert,
} from "lucide-react";
import type { InboxEntry } from "~/api/generated";

export type EntryKind = InboxEntry["item"]["type"];

export const KIND_ICONS: Record<EntryKind, LucideIcon> = {
  question: CircleHelp,
  request: KeyRound,
  gate: Stamp,
  escalation: TriangleAlert,
  plan: FileDiff,
  invocation: ShieldQuestionMark,
};

export type KindCount = { kind: EntryKind; n: number };

/** The kinds of the entries in a fixed order, with their numbers. */
export function countKinds(entries: readonly InboxEntry[]): KindCount[] {
  return (Object.keys(KIND_ICONS) as EntryKind[])
    .map((kind) => ({ kind, n: entries.filter(({ item }) => item.type === kind).length }))
    .filter(({ n }) => n > 0);
}

/** What holds work up, and what does not yet. */
export type EntryGroup = "blocking" | "notBlocking";

/** A problem is listed with what blocks, whatever it blocks. */
export const entryGroup = ({ blocks, severity }: InboxEntry): EntryGroup =>
  blocks.tasks > 0 || severity !== null ? "blocking" : "notBlocking";
