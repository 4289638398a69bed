import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { live } from "~/api/client";
import type { Written } from "~/api/generated";
import { useRow } from "~/api/hooks";
import { getJson, part, postJson } from "~/api/http";
import { Button } from "~/components/Button";
import { Loading } from "~/components/Loading";
import { Problem } from "~/components/Problem";
import { Said } from "~/components/Said";
import { toast } from "~/components/toasts";
import { plain } from "./ansi";

const PIECE_BYTES = 65_536;

/** What the agent's process prints, as it prints it, and a line to its input. */
export default function Output({ run, task }: { run: string; task: string }) {
  const { t } = useTranslation();
  const session = useRow(run, "task", task)?.session;
  if (!session) return <Said title={t("output.none")}>{t("output.noneHint")}</Said>;
  return <SessionOutput key={session} run={run} session={session} />;
}

function SessionOutput({ run, session }: { run: string; session: string }) {
  const { t } = useTranslation();
  const box = useRef<HTMLElement>(null);
  const row = useRow(run, "session", session);
  const output = useInfiniteQuery({
    queryKey: ["output", run, session],
    queryFn: ({ pageParam, signal }) =>
      getJson<Written>(
        `/api/runs/${part(run)}/sessions/${part(session)}/output?after=${pageParam}&limit=${PIECE_BYTES}`,
        signal,
      ),
    initialPageParam: 0,
    getNextPageParam: (piece) => piece.next,
    gcTime: 0,
  });
  const { fetchNextPage, isFetching } = output;
  const last = output.data?.pages.at(-1);
  const text = plain((output.data?.pages ?? []).map((piece) => piece.text).join(""));
  // A full piece has more behind it; otherwise whatever the agent does next is the sign to look again.
  const isFull = last !== undefined && last.next - last.offset >= PIECE_BYTES;
  useEffect(() => {
    if (isFull && !isFetching) void fetchNextPage();
  }, [isFull, isFetching, fetchNextPage]);
  const isOver = last?.isOver === true && !isFull;
  useEffect(() => {
    if (isOver) return;
    const look = () => void fetchNextPage({ cancelRefetch: false });
    const stop = live.onGlimpse((glimpse) => {
      if (glimpse.run === run && glimpse.session === session) look();
    });
    const timer = setInterval(look, 2000);
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [run, session, isOver, fetchNextPage]);
  useEffect(() => {
    const element = box.current;
    if (element && text !== "") element.scrollTop = element.scrollHeight;
  }, [text]);
  if (output.status === "pending") return <Loading />;
  if (output.status === "error") return <Problem error={output.error} retry={() => void output.refetch()} />;
  return (
    <div className="flex h-full min-h-60 flex-col">
      <section ref={box} tabIndex={0} aria-label={t("tab.output")} className="min-h-0 flex-1 overflow-auto">
        <pre className="whitespace-pre-wrap px-4 py-3 font-mono text-xs leading-[1.5]">
          {text === "" ? <span className="text-faint">{t("output.empty")}</span> : text}
        </pre>
      </section>
      {row && row.endedAt === null && <Typing run={run} session={session} />}
    </div>
  );
}

function Typing({ run, session }: { run: string; session: string }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const send = async () => {
    try {
      await postJson(`/api/runs/${part(run)}/sessions/${part(session)}/input`, { text });
      setText("");
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <form
      className="flex gap-2 border-line border-t p-2.5"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <input
        aria-label={t("output.type")}
        placeholder={t("output.type")}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="min-h-8 min-w-0 flex-1 rounded-lg border border-line bg-raise px-2.5 placeholder:text-faint max-md:min-h-10"
      />
      <Button type="submit" disabled={text.trim() === ""}>
        {t("ask.send")}
      </Button>
    </form>
  );
}
