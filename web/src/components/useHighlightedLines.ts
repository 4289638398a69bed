import { useEffect, useState } from "react";
import type { CodeSpan, DiffFile } from "./diff";

/** The lines of a file as colored spans; `null` until the grammars are loaded, and without them. */
export function useHighlightedLines({ path, lines }: DiffFile): CodeSpan[][] | null {
  const [spans, setSpans] = useState<CodeSpan[][] | null>(null);
  useEffect(() => {
    let isCurrent = true;
    import("./highlighter").then(
      ({ highlightLines }) => isCurrent && setSpans(highlightLines(path, lines)),
      // Without the server the diff stays as it is.
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [path, lines]);
  return spans?.length === lines.length ? spans : null;
}
