import { Check, ChevronRight, CircleDashed, LoaderCircle, X } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ToolOutput } from "~/api/generated";
import { TEXT_COLORS } from "~/components/state";
import type { ToolCall } from "./turnParts";

const STATUS_STYLES = {
  running: { icon: LoaderCircle, tone: TEXT_COLORS.run },
  done: { icon: Check, tone: TEXT_COLORS.done },
  failed: { icon: X, tone: TEXT_COLORS.fail },
  unknown: { icon: CircleDashed, tone: TEXT_COLORS.wait },
} as const;

/** Consecutive tool calls: a single one as a line, several folded into one. */
export function ToolCalls({ tools, isRunning = false }: { tools: readonly ToolCall[]; isRunning?: boolean }) {
  const { t } = useTranslation();
  const last = tools.at(-1);
  if (!last) return null;
  if (tools.length === 1) return <ToolCallLine tool={last} isRunning={isRunning} />;
  // In a running turn the current call is not folded.
  const folded = isRunning ? tools.slice(0, -1) : tools;
  const failed = folded.filter(({ status }) => status === "failed").length;
  return (
    <div>
      <FoldableLine
        line={
          <span className="truncate">
            {t("conversation.tools", { count: folded.length })}
            {failed > 0 && (
              <span className={TEXT_COLORS.fail}> · {t("conversation.toolsFailed", { count: failed })}</span>
            )}
          </span>
        }
      >
        <ul className="ml-1.5 border-line border-l pl-2">
          {folded.map((tool, index) => (
            <li key={index}>
              <ToolCallLine tool={tool} isRunning={false} />
            </li>
          ))}
        </ul>
      </FoldableLine>
      {isRunning && <ToolCallLine tool={last} isRunning />}
    </div>
  );
}

function ToolCallLine({ tool, isRunning }: { tool: ToolCall; isRunning: boolean }) {
  const { t } = useTranslation();
  const isCurrent = isRunning && tool.status === "running";
  const status = tool.status === "running" && !isCurrent ? "unknown" : tool.status;
  const { icon: Icon, tone } = STATUS_STYLES[status];
  const [first = "", ...rest] = tool.title.split("\n");
  const line = (
    <>
      <Icon
        aria-hidden
        size={13}
        strokeWidth={2.4}
        className={`shrink-0 ${tone} ${isCurrent ? "motion-safe:animate-spin" : ""}`}
      />
      <span className="sr-only">{t(`toolStatus.${status}`)}</span>
      <code className="min-w-0 truncate font-mono">{first}</code>
    </>
  );
  if (!tool.output && rest.length === 0)
    return <p className="flex min-w-0 items-center gap-1.5 py-0.5 pl-4.5 text-soft text-xs">{line}</p>;
  return (
    <FoldableLine line={line}>
      {rest.length > 0 && <OutputText text={tool.title} />}
      {tool.output && <ToolCallOutput output={tool.output} />}
    </FoldableLine>
  );
}

function ToolCallOutput({ output: { head, nBytesOmitted = 0, tail = "" } }: { output: ToolOutput }) {
  const { t } = useTranslation();
  return (
    <>
      {head && <OutputText text={head} />}
      {nBytesOmitted > 0 && (
        <p className="py-0.5 text-faint text-xs">
          {t("conversation.bytesOmitted", { count: nBytesOmitted })}
        </p>
      )}
      {tail && <OutputText text={tail} />}
    </>
  );
}

function OutputText({ text }: { text: string }) {
  return (
    <pre
      tabIndex={0}
      className="my-1 max-h-80 overflow-auto whitespace-pre-wrap break-words rounded-lg border border-line bg-panel px-2.5 py-1.5 font-mono text-xs"
    >
      {text}
    </pre>
  );
}

/** A line that unfolds. */
function FoldableLine({ line, children }: { line: ReactNode; children: ReactNode }) {
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
