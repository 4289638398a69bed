import { Suspense } from "react";
import { ErrorBoundary } from "./ErrorBoundary";
import { lazyWithRetry } from "./lazyWithRetry";

const Rendered = lazyWithRetry(() => import("./MarkdownRenderer"));

/** Markdown text; shown as plain text until the renderer is loaded. */
export function Markdown({ text }: { text: string }) {
  const plain = <p className="whitespace-pre-wrap">{text}</p>;
  return (
    <div className="prose min-w-0">
      <ErrorBoundary fallback={() => plain}>
        <Suspense fallback={plain}>
          <Rendered text={text} />
        </Suspense>
      </ErrorBoundary>
    </div>
  );
}
