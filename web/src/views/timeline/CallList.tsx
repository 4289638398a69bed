import { ArrowRight, CornerDownRight, Users } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useRows } from "~/api/hooks";
import { Markdown } from "~/components/Markdown";
import { Notice } from "~/components/Notice";
import { QueryFallback } from "~/components/QueryFallback";
import { ClockTime, Duration } from "~/components/Time";
import { type AgentCall, toCallPairs, toCalls } from "./toCalls";

/** Calls and messages between agents: who called whom how often, and each one with its result. */
export function CallList({ run }: { run: string }) {
  const { t } = useTranslation();
  const invocations = useRows(run, "invocation");
  const messages = useRows(run, "directMessage");
  const calls = useMemo(
    () => toCalls(invocations.data ?? {}, messages.data ?? {}),
    [invocations.data, messages.data],
  );
  if (!invocations.data || !messages.data) return <QueryFallback queries={[invocations, messages]} />;
  if (calls.length === 0) return <Notice title={t("calls.empty")} icon={<Users aria-hidden size={22} />} />;
  return (
    <section tabIndex={0} aria-label={t("timeline.topic.calls")} className="min-h-64 flex-1 overflow-y-auto">
      <ul className="mb-3 flex flex-wrap gap-2">
        {toCallPairs(calls).map((pair) => (
          <li
            key={`${pair.from} ${pair.to}`}
            className="inline-flex items-center gap-1.5 rounded-full border border-line bg-panel px-2.5 py-0.5"
          >
            <AgentPair {...pair} /> <span className="text-soft tabular-nums">{pair.n}</span>
          </li>
        ))}
      </ul>
      <ol className="flex flex-col gap-2">
        {calls.map((call) => (
          <li key={call.id} className="rounded-xl border border-line bg-panel px-3.5 py-2.5">
            <Call call={call} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function AgentPair({ from, to }: Pick<AgentCall, "from" | "to">) {
  const { t } = useTranslation();
  return (
    <span className="inline-flex items-center gap-1">
      <b className="font-semibold">{from ?? t("chat.orchestrator")}</b>
      <ArrowRight aria-label={t("calls.to")} size={13} className="text-soft" />
      <b className="font-semibold">{to ?? t("chat.orchestrator")}</b>
    </span>
  );
}

function Call({ call }: { call: AgentCall }) {
  const { t } = useTranslation();
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-2 text-soft text-xs">
        <span className="text-ink text-sm">
          <AgentPair {...call} />
        </span>
        {t(`calls.state.${call.state ?? "message"}`)} · <ClockTime at={call.at} />
      </p>
      <Markdown text={call.text} />
      {call.outcome && (
        <div className="mt-1 flex gap-2 border-line border-t pt-1.5">
          <CornerDownRight aria-hidden size={14} className="mt-0.5 shrink-0 text-soft" />
          <div className="min-w-0">
            {call.endedAt !== null && (
              <p className="text-soft text-xs">
                <Duration from={call.at} to={call.endedAt} />
              </p>
            )}
            <Markdown text={call.outcome} />
          </div>
        </div>
      )}
    </>
  );
}
