/** A session's terminal: feeds the emulator, renders it, and keeps the view at its end. */

import { Terminal } from "@xterm/headless";
import type { TerminalServerMessage } from "~/api/generated";
import { readTerminalPalette } from "./colors";
import { drawsScreen } from "./drawsScreen";
import { TerminalRenderer } from "./terminalRenderer";

/** As many lines as the server's snapshot has. */
const SCROLLBACK = 5_000;
/** With more unprocessed output than this, a new snapshot is quicker. */
const PENDING_MAX = 8 << 20;
/** Within this distance from the end, the reader counts as being at the end. */
const END_PX = 32;

type TerminalScreenOptions = {
  scroller: HTMLElement;
  container: HTMLElement;
  onDraws: () => void;
  onEmpty: (isEmpty: boolean) => void;
  /** Output arrives faster than it is processed. `onCaughtUp` follows, and then a new snapshot is needed. */
  onBehind: () => void;
  onCaughtUp: () => void;
};

export class TerminalScreen {
  #emulator: Terminal | null = null;
  #renderer: TerminalRenderer | null = null;
  #frame = 0;
  #pending = 0;
  #isBehind = false;
  #inColumns = false;

  constructor(private readonly deps: TerminalScreenOptions) {}

  receive(message: Exclude<TerminalServerMessage, { type: "ended" | "problem" }>): void {
    switch (message.type) {
      case "snapshot":
        this.#restart(message.columns, message.rows);
        this.#write(message.text);
        return;
      case "output":
        if (!this.#inColumns && drawsScreen(message.text)) this.deps.onDraws();
        this.#write(message.text);
        return;
      case "resized":
        // Earlier output must be processed in the old size.
        this.#emulator?.write("", () => this.#emulator?.resize(message.columns, message.rows));
        return;
    }
  }

  /** Renders again after a change of the theme or of the layout. */
  restyle(inColumns: boolean): void {
    this.#inColumns = inColumns;
    this.#renderAtEnd(() => this.#renderer?.restyle(readTerminalPalette(this.deps.container), inColumns));
  }

  scrollToEnd(): void {
    this.deps.scroller.scrollTop = this.deps.scroller.scrollHeight;
  }

  isAtEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.deps.scroller;
    return scrollHeight - scrollTop - clientHeight < END_PX;
  }

  dispose(): void {
    cancelAnimationFrame(this.#frame);
    this.#emulator?.dispose();
    this.#emulator = null;
  }

  /** A snapshot needs a new emulator, so that no earlier state is left. */
  #restart(cols: number, rows: number): void {
    this.#emulator?.dispose();
    this.#pending = 0;
    this.#isBehind = false;
    const emulator = new Terminal({ cols, rows, scrollback: SCROLLBACK, allowProposedApi: true });
    this.#emulator = emulator;
    const { container } = this.deps;
    this.#renderer = new TerminalRenderer(
      emulator,
      container,
      readTerminalPalette(container),
      this.#inColumns,
    );
    emulator.onWriteParsed(() => {
      cancelAnimationFrame(this.#frame);
      this.#frame = requestAnimationFrame(() => this.#renderAtEnd(() => this.#renderer?.draw()));
    });
  }

  #write(text: string): void {
    const emulator = this.#emulator;
    if (!emulator || this.#isBehind) return;
    this.#pending += text.length;
    if (this.#pending > PENDING_MAX) {
      this.#isBehind = true;
      this.deps.onBehind();
    }
    emulator.write(text, () => {
      if (this.#emulator !== emulator) return;
      this.#pending -= text.length;
      if (this.#isBehind && this.#pending === 0) this.deps.onCaughtUp();
    });
  }

  /** Keeps the view at the end if it was there. */
  #renderAtEnd(render: () => void): void {
    const wasAtEnd = this.isAtEnd();
    render();
    if (wasAtEnd) this.scrollToEnd();
    this.deps.onEmpty(this.#renderer?.isEmpty ?? true);
  }
}
