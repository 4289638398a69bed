import { Check, ChevronRight, CircleDashed, LoaderCircle, X } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ToolOutput } from "~/api/generated";
import { TEXT } from "~/components/state";
import type { Tool } from "./toParts";

const SIGNS = {
  running: { icon: LoaderCircle, tone: TEXT.run },
  done: { icon: Check, tone: TEXT.done },
  failed: { icon: X, tone: TEXT.fail },
  unknown: { icon: CircleDashed, tone: TEXT.wait },
} as const;

/** Tools that were used without a word between them: one by itself, several folded into a line. */
export function Tools({ tools, isRunning = false }: { tools: readonly Tool[]; isRunning?: boolean }) {
  const { t } = useTranslation();
  const last = tools.at(-1);
  if (!last) return null;
  if (tools.length === 1) return <ToolLine tool={last} isRunning={isRunning} />;
  // Of a turn that goes on, what is done now stands there.
  const folded = isRunning ? tools.slice(0, -1) : tools;
  const failed = folded.filter(({ status }) => status === "failed").length;
  return (
    <div>
      <Fold
        line={
          <span className="truncate">
            {t("conversation.tools", { count: folded.length })}
            {failed > 0 && (
              <span className={TEXT.fail}> · {t("conversation.toolsFailed", { count: failed })}</span>
            )}
          </span>
        }
      >
        <ul className="ml-1.5 border-line border-l pl-2">
          {folded.map((tool, index) => (
            <li key={index}>
              <ToolLine tool={tool} isRunning={false} />
            </li>
          ))}
        </ul>
      </Fold>
      {isRunning && <ToolLine tool={last} isRunning />}
    </div>
  );
}

function ToolLine({ tool, isRunning }: { tool: Tool; isRunning: boolean }) {
  const { t } = useTranslation();
  const isGoing = isRunning && tool.status === "running";
  const heard = tool.status === "running" && !isGoing ? "unknown" : tool.status;
  const { icon: Icon, tone } = SIGNS[heard];
  const [first = "", ...rest] = tool.title.split("\n");
  const line = (
    <>
      <Icon
        aria-hidden
        size={13}
        strokeWidth={2.4}
        className={`shrink-0 ${tone} ${isGoing ? "motion-safe:animate-spin" : ""}`}
      />
      <span className="sr-only">{t(`tool.${heard}`)}</span>
      <code className="min-w-0 truncate font-mono">{first}</code>
    </>
  );
  if (!tool.output && rest.length === 0)
    return <p className="flex min-w-0 items-center gap-1.5 py-0.5 pl-4.5 text-soft text-xs">{line}</p>;
  return (
    <Fold line={line}>
      {rest.length > 0 && <Printed text={tool.title} />}
      {tool.output && <Output output={tool.output} />}
    </Fold>
  );
}

function Output({ output: { head, nBytesOmitted = 0, tail = "" } }: { output: ToolOutput }) {
  const { t } = useTranslation();
  return (
    <>
      {head && <Printed text={head} />}
      {nBytesOmitted > 0 && (
        <p className="py-0.5 text-faint text-xs">{t("conversation.leftOut", { count: nBytesOmitted })}</p>
      )}
      {tail && <Printed text={tail} />}
    </>
  );
}

function Printed({ text }: { text: string }) {
  return (
    <pre
      tabIndex={0}
      className="my-1 max-h-80 overflow-auto whitespace-pre-wrap break-words rounded-lg border border-line bg-panel px-2.5 py-1.5 font-mono text-xs"
    >
      {text}
    </pre>
  );
}

/** A line that opens. */
function Fold({ line, children }: { line: ReactNode; children: ReactNode }) {
  return (
    <details className="min-w-0 [&[open]>summary>.fold-sign]:rotate-90">
      <summary className="flex min-w-0 cursor-pointer list-none items-center gap-1.5 rounded py-0.5 text-soft text-xs hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden size={12} className="fold-sign shrink-0 text-faint" />
        {line}
      </summary>
      <div className="pl-4.5">{children}</div>
    </details>
  );
}
