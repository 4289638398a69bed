import type { PlanMistake } from "~/api/generated";

/** The mistakes of a plan; each leads to its line. */
export function Diagnostics({
  diagnostics,
  onGo,
}: {
  diagnostics: PlanMistake[];
  onGo: (line: number) => void;
}) {
  return (
    <ul className="flex flex-col gap-1">
      {diagnostics.map((found, index) => (
        <li key={index}>
          <button
            type="button"
            onClick={() => onGo(found.line)}
            className={`flex w-full flex-wrap gap-x-3 rounded-lg border border-line border-l-[3px] bg-panel px-3 py-1.5 text-left hover:border-faint ${found.severity === "error" ? "border-l-fail" : "border-l-ask"}`}
          >
            <code className="font-mono text-soft text-xs leading-5">
              {found.line}:{found.column}
            </code>
            <span className="min-w-0 flex-1">{found.message}</span>
            {found.hint && <span className="w-full text-soft text-xs">{found.hint}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}
