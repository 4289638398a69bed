import { useState } from "react";
import { useTranslation } from "react-i18next";

/** Longer questions are folded. */
const SHORT_MAX = 280;
const HEADING_MAX = 160;

/** The text of a question. A long one is folded, so that its options stay visible. */
export function QuestionText({ text, level }: { text: string; level: "h2" | "h3" }) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const Heading = level;
  const { heading, rest } = splitHeading(text);
  const isLong = heading.length + rest.length > SHORT_MAX;
  const clamp = isLong && !isOpen ? "line-clamp-4" : "";
  return (
    <div className="flex flex-col items-start gap-1" dir="auto">
      <Heading className={`whitespace-pre-wrap font-semibold text-[14px] leading-snug ${rest ? "" : clamp}`}>
        {heading}
      </Heading>
      {rest && <p className={`whitespace-pre-wrap ${clamp}`}>{rest}</p>}
      {isLong && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="rounded text-ask text-xs underline"
        >
          {t(isOpen ? "inboxItem.showLess" : "inboxItem.showMore")}
        </button>
      )}
    </div>
  );
}

/** Splits a question into a heading and the rest, if its first line is short enough for a heading. */
export function splitHeading(text: string): { heading: string; rest: string } {
  const whole = text.trim();
  const end = whole.indexOf("\n");
  if (end < 0 || end > HEADING_MAX) return { heading: whole, rest: "" };
  return { heading: whole.slice(0, end).trimEnd(), rest: whole.slice(end).trim() };
}
