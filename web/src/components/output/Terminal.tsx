import { ArrowDown, WrapText } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { live } from "~/api/client";
import { useRow } from "~/api/hooks";
import { terminalAddress } from "~/api/session";
import { TerminalScreen } from "./screen";
import { type LineState, TerminalLine } from "./socket";
import "./terminal.css";

type Props = { run: string; session: string; draws: boolean };

/** A session's terminal, live. It is read; what is to be typed goes through the box below. */
export default function Terminal({ run, session, draws }: Props) {
  const { t } = useTranslation();
  const box = useRef<HTMLElement>(null);
  const place = useRef<HTMLPreElement>(null);
  const screen = useRef<TerminalScreen>(null);
  const line = useRef<TerminalLine>(null);
  const [state, setState] = useState<LineState>("opening");
  const [isEmpty, setIsEmpty] = useState(true);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const [isDrawn, setIsDrawn] = useState(draws);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const wraps = chosen ?? !isDrawn;
  const row = useRow(run, "session", session);

  useEffect(() => {
    if (!box.current || !place.current) return;
    const shown = new TerminalScreen({
      box: box.current,
      place: place.current,
      onDraws: () => setIsDrawn(true),
      onEmpty: setIsEmpty,
      onBehind: () => line.current?.close(),
      onCaughtUp: () => line.current?.again(),
    });
    const followed = new TerminalLine({
      open: () => new WebSocket(terminalAddress(run, session)),
      onTold: (told) => shown.take(told),
      onState: setState,
    });
    screen.current = shown;
    line.current = followed;
    const stop = live.subscribe(() => {
      if (live.state.type === "open") followed.again();
    });
    return () => {
      stop();
      followed.close();
      shown.dispose();
    };
  }, [run, session]);

  // A session that was parked has another process when it comes back.
  const standing = `${row?.state}/${row?.park}`;
  useEffect(() => {
    if (standing !== "") line.current?.again();
  }, [standing]);

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
    const scrolled = box.current;
    // At once: a browser glides there, and every line that comes meanwhile takes it back to the end.
    const toBeginning = (event: KeyboardEvent) => {
      if (event.key !== "Home" || !scrolled) return;
      event.preventDefault();
      scrolled.scrollTop = 0;
    };
    scrolled?.addEventListener("keydown", toBeginning);
    return () => scrolled?.removeEventListener("keydown", toBeginning);
  }, []);

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex shrink-0 items-center gap-2 border-line border-b px-4 py-1 text-soft text-xs">
        <span role="status" data-line={state} className="flex-1">
          {t(`output.line.${state}`)}
        </span>
        <button
          type="button"
          aria-pressed={wraps}
          onClick={() => setChosen(!wraps)}
          className="flex min-h-7 items-center gap-1.5 rounded-md px-2 hover:bg-page aria-pressed:text-ink max-md:min-h-10"
        >
          <WrapText aria-hidden size={14} />
          {t("output.wrap")}
        </button>
      </div>
      <div className="relative flex min-h-0 flex-1">
        <section
          ref={box}
          tabIndex={0}
          aria-label={t("tab.output")}
          onScroll={() => setIsAtEnd(screen.current?.isAtEnd() ?? true)}
          className="terminal-box min-h-0 flex-1 overflow-auto outline-offset-[-2px]"
        >
          <pre ref={place} data-wraps={wraps} className="terminal" />
          {isEmpty && state !== "opening" && <p className="px-4 text-faint">{t("output.empty")}</p>}
        </section>
        {!isAtEnd && (
          <button
            type="button"
            onClick={() => screen.current?.toEnd()}
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
