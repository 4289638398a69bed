import { Link } from "@tanstack/react-router";
import { Suspense, useEffect, useMemo, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { live } from "~/api/client";
import { useRow } from "~/api/hooks";
import { fetchRecords } from "~/api/sessions";
import { ErrorMessage } from "~/components/ErrorMessage";
import { Loading } from "~/components/Loading";
import { lazyWithRetry } from "~/components/lazyWithRetry";
import { Notice } from "~/components/Notice";
import { drawsScreen } from "./drawsScreen";
import { AgentMessageInput, TerminalInput } from "./InputLine";
import MessageLog from "./MessageLog";
import { RecordWindow } from "./recordWindow";

// Loaded on demand, because it includes a terminal emulator.
const Terminal = lazyWithRetry(() => import("./Terminal"));

/** How often new records are fetched without an event. */
const POLL_MS = 2_000;

/** The terminal of a session or its protocol messages, and a text field for its input. */
export function SessionOutput({ run, session }: { run: string; session: string }) {
  const { t } = useTranslation();
  const row = useRow(run, "session", session);
  const task = useRow(run, "task", row?.role === "worker" ? row.task : null);
  const records = useMemo(
    () => new RecordWindow((range) => fetchRecords(run, session, range)),
    [run, session],
  );
  const state = useSyncExternalStore(records.subscribe, records.state);
  const isGrowing = state.status === "ready" && !state.hasTerminal && !state.hasEnded;
  const sessionState = `${row?.state}/${row?.park}`;
  // A session may get a process, or another one, when its state changes.
  useEffect(() => {
    if (sessionState !== "") void records.refresh();
  }, [records, sessionState]);
  useEffect(() => {
    if (!isGrowing) return;
    const load = () => void records.loadLater();
    const unsubscribe = live.onActivity((activity) => {
      if (activity.run === run && activity.session === session) load();
    });
    const timer = setInterval(load, POLL_MS);
    return () => {
      unsubscribe();
      clearInterval(timer);
    };
  }, [records, run, session, isGrowing]);

  if (row && row.agent === null)
    return <Notice title={t("output.builtIn")}>{t("output.builtInHint")}</Notice>;
  if (state.status === "loading") return <Loading />;
  if (state.status === "failed")
    return <ErrorMessage error={state.error} retry={() => void records.start()} />;
  const hasEnded = row?.endedAt !== null;
  const messagedTask = !hasEnded && task?.actions.includes("sendMessage") ? task : null;
  if (!state.hasTerminal)
    return (
      <div className="flex h-full min-h-60 flex-col">
        <MessageLog state={state} onEarlier={records.loadEarlier} onLater={records.loadLater} />
        {messagedTask && <AgentMessageInput run={run} task={messagedTask.id} />}
        {!hasEnded && !messagedTask && (
          <p className="border-line border-t px-4 py-2 text-soft text-xs">
            {t("output.noInput")}{" "}
            <Link
              to="/runs/$run/$place"
              params={{ run, place: "activity" }}
              className="text-accent underline"
            >
              {t("output.toChat")}
            </Link>
          </p>
        )}
      </div>
    );
  return (
    <div className="flex h-full min-h-60 flex-col">
      <Suspense fallback={<Loading />}>
        <Terminal run={run} session={session} draws={drawsScreen(state.tail)} />
      </Suspense>
      {!hasEnded &&
        (row?.park === "cold" ? (
          <p className="border-line border-t px-4 py-2 text-soft text-xs">{t("output.stopped")}</p>
        ) : (
          <TerminalInput run={run} session={session} />
        ))}
    </div>
  );
}
