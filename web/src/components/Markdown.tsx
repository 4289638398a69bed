import { Suspense } from "react";
import { Boundary } from "./Boundary";
import { lazily } from "./lazily";

const Rendered = lazily(() => import("./MarkdownText"));

/** Text in Markdown; plain until the part that reads it is there. */
export function Markdown({ text }: { text: string }) {
  const plain = <p className="whitespace-pre-wrap">{text}</p>;
  return (
    <div className="prose min-w-0">
      <Boundary instead={() => plain}>
        <Suspense fallback={plain}>
          <Rendered text={text} />
        </Suspense>
      </Boundary>
    </div>
  );
}
