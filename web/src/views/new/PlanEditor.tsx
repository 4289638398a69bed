import { type RefObject, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { ProblemDiagnostic } from "~/api/generated";

type Props = {
  text: string;
  onText: (text: string) => void;
  textarea: RefObject<HTMLTextAreaElement | null>;
  diagnostics: ProblemDiagnostic[];
};

/** The text of a plan with line numbers; lines with errors are marked. */
export function PlanEditor({ text, onText, textarea, diagnostics }: Props) {
  const { t } = useTranslation();
  const numbers = useRef<HTMLPreElement>(null);
  const problems = diagnostics.filter(({ severity }) => severity !== "note");
  const marks = new Map(problems.map(({ line, severity }) => [line, severity]));
  for (const { line, severity } of problems) if (severity === "error") marks.set(line, severity);
  return (
    <div className="flex h-[46dvh] min-h-64 overflow-hidden rounded-xl border border-line bg-panel focus-within:border-accent">
      <pre
        ref={numbers}
        aria-hidden
        className="shrink-0 select-none overflow-hidden border-line border-r bg-page px-2.5 py-2.5 text-right font-mono text-faint text-xs leading-[1.6]"
      >
        {text.split("\n").map((_, index) => {
          const mark = marks.get(index + 1);
          return (
            <div
              key={index}
              className={mark === "error" ? "font-bold text-fail" : mark ? "font-bold text-ask" : ""}
            >
              {mark === "error" ? "✕ " : mark ? "! " : ""}
              {index + 1}
            </div>
          );
        })}
      </pre>
      <textarea
        ref={textarea}
        aria-label={t("newRun.text")}
        placeholder={t("newRun.placeholder")}
        spellCheck={false}
        wrap="off"
        value={text}
        onChange={(event) => onText(event.target.value)}
        onScroll={(event) => {
          if (numbers.current) numbers.current.scrollTop = event.currentTarget.scrollTop;
        }}
        className="min-w-0 flex-1 resize-none bg-transparent px-3 py-2.5 font-mono text-xs leading-[1.6] outline-none placeholder:text-faint"
      />
    </div>
  );
}
