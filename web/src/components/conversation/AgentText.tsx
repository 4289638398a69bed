import {
  Activity,
  Check,
  CircleHelp,
  CornerDownRight,
  KeyRound,
  ListChecks,
  type LucideIcon,
  MessageSquare,
  TriangleAlert,
  Users,
  X,
} from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Markdown } from "~/components/Markdown";
import { type MessageKind, type TurnSegment, toTurnSegments } from "./protocolMessages";

const CARD_STYLES: Record<MessageKind, { icon: LucideIcon; color: string }> = {
  asked: { icon: CircleHelp, color: "text-soft" },
  requested: { icon: KeyRound, color: "text-soft" },
  called: { icon: Users, color: "text-soft" },
  result: { icon: CornerDownRight, color: "text-soft" },
  message: { icon: MessageSquare, color: "text-soft" },
  progress: { icon: Activity, color: "text-run" },
  step: { icon: ListChecks, color: "text-run" },
  problem: { icon: TriangleAlert, color: "text-fail" },
  done: { icon: Check, color: "text-done" },
  failed: { icon: X, color: "text-fail" },
};

/** What an agent said, with its protocol messages as cards. */
export function AgentText({ text }: { text: string }) {
  const segments = useMemo(() => toTurnSegments(text), [text]);
  return segments.map((segment, index) =>
    segment.type === "text" ? (
      <Markdown key={index} text={segment.text} />
    ) : (
      <MessageCard key={index} message={segment} />
    ),
  );
}

function MessageCard({ message }: { message: Extract<TurnSegment, { type: "message" }> }) {
  const { t } = useTranslation();
  const { kind, to, text, progress } = message;
  const { icon: Icon, color } = CARD_STYLES[kind];
  return (
    <div
      data-message={kind}
      className="my-0.5 flex max-w-[760px] flex-col gap-1 rounded-lg border border-line bg-panel px-3 py-2"
    >
      <div className="flex items-baseline gap-2">
        <b className={`inline-flex shrink-0 items-center gap-1.5 text-xs ${color}`}>
          <Icon aria-hidden size={14} className="self-center" />
          {to === null ? t(`message.${kind}`) : t("message.to", { kind: t(`message.${kind}`), name: to })}
        </b>
        {progress !== null && (
          <span className="ml-auto whitespace-nowrap text-soft text-xs tabular-nums">
            {Math.round(progress * 100)} %
          </span>
        )}
      </div>
      {progress !== null && (
        <span aria-hidden className="h-1 overflow-hidden rounded-full bg-line">
          <i className="block h-full bg-run" style={{ width: `${progress * 100}%` }} />
        </span>
      )}
      {text !== "" && <Markdown text={text} />}
    </div>
  );
}
