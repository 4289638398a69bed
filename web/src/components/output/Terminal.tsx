import { ArrowDown, WrapText } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { live } from "~/api/client";
import { useRow } from "~/api/hooks";
import { terminalUrl } from "~/api/sessions";
import { TerminalScreen } from "./terminalScreen";
import { type SocketState, TerminalSocket } from "./terminalSocket";
import "./terminal.css";

type Props = { run: string; session: string; draws: boolean };

/** The live terminal of a session. It is read-only; input goes through the text field below. */
export default function Terminal({ run, session, draws }: Props) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLElement>(null);
  const container = useRef<HTMLPreElement>(null);
  const screen = useRef<TerminalScreen>(null);
  const socket = useRef<TerminalSocket>(null);
  const [state, setState] = useState<SocketState>("opening");
  const [isEmpty, setIsEmpty] = useState(true);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const [drawsScreen, setDrawsScreen] = useState(draws);
  const [chosenWrap, setChosenWrap] = useState<boolean | null>(null);
  const wraps = chosenWrap ?? !drawsScreen;
  const row = useRow(run, "session", session);

  useEffect(() => {
    if (!scroller.current || !container.current) return;
    const newScreen = new TerminalScreen({
      scroller: scroller.current,
      container: container.current,
      onDraws: () => setDrawsScreen(true),
      onEmpty: setIsEmpty,
      onBehind: () => socket.current?.close(),
      onCaughtUp: () => socket.current?.reconnect(),
    });
    const newSocket = new TerminalSocket({
      open: () => new WebSocket(terminalUrl(run, session)),
      onMessage: (message) => newScreen.receive(message),
      onState: setState,
    });
    screen.current = newScreen;
    socket.current = newSocket;
    const unsubscribe = live.subscribe(() => {
      if (live.state.type === "open") newSocket.reconnect();
    });
    return () => {
      unsubscribe();
      newSocket.close();
      newScreen.dispose();
    };
  }, [run, session]);

  // A session that was stopped has another process when it resumes.
  const sessionState = `${row?.state}/${row?.park}`;
  useEffect(() => {
    if (sessionState !== "") socket.current?.reconnect();
  }, [sessionState]);

  useEffect(() => {
    const restyle = () => screen.current?.restyle(!wraps);
    restyle();
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", restyle);
    const chosenTheme = new MutationObserver(restyle);
    chosenTheme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      system.removeEventListener("change", restyle);
      chosenTheme.disconnect();
    };
  }, [wraps]);

  useEffect(() => {
    const box = scroller.current;
    // Without animation: a browser scrolls smoothly, and every new line would take it back to the end.
    const scrollToStart = (event: KeyboardEvent) => {
      if (event.key !== "Home" || !box) return;
      event.preventDefault();
      box.scrollTop = 0;
    };
    box?.addEventListener("keydown", scrollToStart);
    return () => box?.removeEventListener("keydown", scrollToStart);
  }, []);

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex shrink-0 items-center gap-2 border-line border-b px-4 py-1 text-soft text-xs">
        <span role="status" data-connection={state} className="flex-1">
          {t(`output.connection.${state}`)}
        </span>
        <button
          type="button"
          aria-pressed={wraps}
          onClick={() => setChosenWrap(!wraps)}
          className="flex min-h-7 items-center gap-1.5 rounded-md px-2 hover:bg-page aria-pressed:text-ink max-md:min-h-10"
        >
          <WrapText aria-hidden size={14} />
          {t("output.wrap")}
        </button>
      </div>
      <div className="relative flex min-h-0 flex-1">
        <section
          ref={scroller}
          tabIndex={0}
          aria-label={t("taskTab.output")}
          onScroll={() => setIsAtEnd(screen.current?.isAtEnd() ?? true)}
          className="terminal-box min-h-0 flex-1 overflow-auto outline-offset-[-2px]"
        >
          <pre ref={container} data-wraps={wraps} className="terminal" />
          {isEmpty && state !== "opening" && <p className="px-4 text-faint">{t("output.empty")}</p>}
        </section>
        {!isAtEnd && (
          <button
            type="button"
            onClick={() => screen.current?.scrollToEnd()}
            className="absolute right-5 bottom-3 flex min-h-8 items-center gap-1.5 rounded-full border border-line bg-raise px-3 text-sm shadow-lg hover:border-faint max-md:min-h-10"
          >
            <ArrowDown aria-hidden size={14} />
            {t("output.toEnd")}
          </button>
        )}
      </div>
    </div>
  );
}
