import { useState } from "react";
import { useTranslation } from "react-i18next";

/** A question up to so many signs is read at a glance. */
const SHORT_MAX = 280;
const HEADING_MAX = 160;

/** What is asked. Of a long question only the beginning is shown at first, so that its answers stay in sight. */
export function AskedText({ text, level }: { text: string; level: "h2" | "h3" }) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const Heading = level;
  const { heading, rest } = toAsked(text);
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
          {t(isOpen ? "ask.less" : "ask.more")}
        </button>
      )}
    </div>
  );
}

/** The question itself, and what is said about it: a first line that is short enough is a heading. */
export function toAsked(text: string): { heading: string; rest: string } {
  const whole = text.trim();
  const end = whole.indexOf("\n");
  if (end < 0 || end > HEADING_MAX) return { heading: whole, rest: "" };
  return { heading: whole.slice(0, end).trimEnd(), rest: whole.slice(end).trim() };
}
