import { lazy, Suspense } from "react";

const Rendered = lazy(() => import("./MarkdownText"));

/** Text in Markdown; plain until the part that reads it is there. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="prose min-w-0">
      <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
        <Rendered text={text} />
      </Suspense>
    </div>
  );
}
