import { Link } from "@tanstack/react-router";
import { Suspense, useEffect, useMemo, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { live } from "~/api/client";
import { useRow } from "~/api/hooks";
import { fetchRecords } from "~/api/session";
import { Loading } from "~/components/Loading";
import { lazily } from "~/components/lazily";
import { Problem } from "~/components/Problem";
import { Said } from "~/components/Said";
import { drawsScreen } from "./draws";
import Lines from "./Lines";
import { Telling, Typing } from "./Typing";
import { RecordWindow } from "./window";

// The terminal brings an emulator, which only those who look at one need.
const Terminal = lazily(() => import("./Terminal"));

/** How often is looked for more where nothing else tells that there is. */
const LOOK_MS = 2_000;

/** What a session's process prints, or what is said with it in its protocol; and a line to its input. */
export function SessionOutput({ run, session }: { run: string; session: string }) {
  const { t } = useTranslation();
  const row = useRow(run, "session", session);
  const held = useMemo(
    () => new RecordWindow((wanted) => fetchRecords(run, session, wanted)),
    [run, session],
  );
  const state = useSyncExternalStore(held.subscribe, held.state);
  const isFollowed = state.status === "ready" && !state.hasTerminal && !state.isOver;
  const standing = `${row?.state}/${row?.park}`;
  // A session may get its process, or another one, whenever it stands differently.
  useEffect(() => {
    if (standing !== "") void held.again();
  }, [held, standing]);
  useEffect(() => {
    if (!isFollowed) return;
    const look = () => void held.later();
    const stop = live.onGlimpse((glimpse) => {
      if (glimpse.run === run && glimpse.session === session) look();
    });
    const timer = setInterval(look, LOOK_MS);
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [held, run, session, isFollowed]);

  if (row && row.agent === null) return <Said title={t("output.played")}>{t("output.playedHint")}</Said>;
  if (state.status === "loading") return <Loading />;
  if (state.status === "failed") return <Problem error={state.error} retry={() => void held.start()} />;
  const isOver = row?.endedAt !== null;
  if (!state.hasTerminal)
    return (
      <div className="flex h-full min-h-60 flex-col">
        <Lines state={state} onEarlier={held.earlier} onLater={held.later} />
        {!isOver && row?.task && row.role === "worker" && <Telling run={run} task={row.task} />}
        {!isOver && !(row?.task && row.role === "worker") && (
          <p className="border-line border-t px-4 py-2 text-soft text-xs">
            {t("output.noTyping")}{" "}
            <Link to="/runs/$run/$view" params={{ run, view: "chat" }} className="text-accent underline">
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
      {!isOver &&
        (row?.park === "cold" ? (
          <p className="border-line border-t px-4 py-2 text-soft text-xs">{t("output.cold")}</p>
        ) : (
          <Typing run={run} session={session} />
        ))}
    </div>
  );
}
