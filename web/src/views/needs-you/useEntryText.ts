/** How an item that needs the user is shown: its text and its icon. */

import {
  FileQuestionMark,
  KeyRound,
  type LucideIcon,
  Package,
  Server,
  ShieldQuestionMark,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import type { DependencyType, InboxEntry } from "~/api/generated";
import { useRow } from "~/api/hooks";
import { splitHeading } from "~/components/inbox/QuestionText";
import { useLocalizedText } from "~/components/localizedText";
import { KIND_ICONS } from "./entryKinds";

/** Returns the text of an item as a heading and the rest. That of an approval begins with what is asked. */
export function useEntryText(entry: InboxEntry): { heading: string; rest: string } {
  const { t } = useTranslation();
  const localize = useLocalizedText();
  const text = splitHeading(localize(entry));
  return entry.item.type === "gate"
    ? { ...text, heading: t("needsYou.approvePhase", { phase: text.heading }) }
    : text;
}

const REQUEST_ICONS: Record<DependencyType, LucideIcon> = {
  api_key: KeyRound,
  env_variable: KeyRound,
  service: Server,
  file: FileQuestionMark,
  permission: ShieldQuestionMark,
  package: Package,
};

export function useEntryIcon({ run, item }: InboxEntry): LucideIcon {
  const request = useRow(run, "request", item.type === "request" ? item.id : null);
  const question = useRow(run, "question", item.type === "question" ? item.id : null);
  if (question?.kind === "permission") return ShieldQuestionMark;
  return request ? REQUEST_ICONS[request.type] : KIND_ICONS[item.type];
}
