import type { ProblemDiagnostic } from "~/api/generated";

const BORDERS = { error: "border-l-fail", warning: "border-l-ask", note: "" };

/** The errors, warnings and notes of a plan; a click goes to the line. */
export function PlanErrors({
  diagnostics,
  onGo,
}: {
  diagnostics: ProblemDiagnostic[];
  onGo: (line: number) => void;
}) {
  return (
    <ul className="flex flex-col gap-1">
      {diagnostics.map((diagnostic, index) => (
        <li key={index}>
          <button
            type="button"
            onClick={() => onGo(diagnostic.line)}
            className={`flex w-full flex-wrap gap-x-3 rounded-lg border border-line border-l-[3px] bg-panel px-3 py-1.5 text-left hover:border-faint ${BORDERS[diagnostic.severity]}`}
          >
            <code className="font-mono text-soft text-xs leading-5">
              {diagnostic.line}:{diagnostic.column}
            </code>
            <span className="min-w-0 flex-1">{diagnostic.message}</span>
            {diagnostic.hint && <span className="w-full text-soft text-xs">{diagnostic.hint}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}
