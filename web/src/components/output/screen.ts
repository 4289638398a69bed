/** A session's terminal in the page: the emulator behind it, what is drawn of it, and the end that it follows. */

import { Terminal } from "@xterm/headless";
import type { TerminalTold } from "~/api/generated";
import { readPalette } from "./colors";
import { Drawing } from "./drawing";
import { drawsScreen } from "./draws";

/** As many lines as the server's picture has. */
const SCROLLBACK = 5_000;
/** More than this that was not drawn yet is not waited for: a new picture is quicker. */
const PENDING_MAX = 8 << 20;
/** Whoever is nearer to the end than this reads the end. */
const END_PX = 32;

type Deps = {
  /** What scrolls, and what the lines are put in. */
  box: HTMLElement;
  place: HTMLElement;
  onDraws: () => void;
  onEmpty: (isEmpty: boolean) => void;
  /** More came than can be drawn; it has caught up when it asks for a new picture. */
  onBehind: () => void;
  onCaughtUp: () => void;
};

export class TerminalScreen {
  #emulator: Terminal | null = null;
  #drawing: Drawing | null = null;
  #frame = 0;
  #pending = 0;
  #isBehind = false;
  #inColumns = false;

  constructor(private readonly deps: Deps) {}

  take(told: Exclude<TerminalTold, { type: "ended" | "problem" }>): void {
    switch (told.type) {
      case "snapshot":
        this.#begin(told.columns, told.rows);
        this.#write(told.text);
        return;
      case "output":
        if (!this.#inColumns && drawsScreen(told.text)) this.deps.onDraws();
        this.#write(told.text);
        return;
      case "resized":
        // What came before belongs to the old size.
        this.#emulator?.write("", () => this.#emulator?.resize(told.columns, told.rows));
        return;
    }
  }

  /** Draws anew: the theme has changed, or whether signs must stand in columns. */
  restyle(inColumns: boolean): void {
    this.#inColumns = inColumns;
    this.#following(() => this.#drawing?.become(readPalette(this.deps.place), inColumns));
  }

  toEnd(): void {
    this.deps.box.scrollTop = this.deps.box.scrollHeight;
  }

  isAtEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.deps.box;
    return scrollHeight - scrollTop - clientHeight < END_PX;
  }

  dispose(): void {
    cancelAnimationFrame(this.#frame);
    this.#emulator?.dispose();
    this.#emulator = null;
  }

  /** A picture is drawn by a terminal of its own, so that nothing of before is left in it. */
  #begin(cols: number, rows: number): void {
    this.#emulator?.dispose();
    this.#pending = 0;
    this.#isBehind = false;
    const emulator = new Terminal({ cols, rows, scrollback: SCROLLBACK, allowProposedApi: true });
    this.#emulator = emulator;
    this.#drawing = new Drawing(emulator, this.deps.place, readPalette(this.deps.place), this.#inColumns);
    emulator.onWriteParsed(() => {
      cancelAnimationFrame(this.#frame);
      this.#frame = requestAnimationFrame(() => this.#following(() => this.#drawing?.draw()));
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

  /** Whoever reads the end stays at the end; whoever reads further up is left there. */
  #following(draw: () => void): void {
    const wasAtEnd = this.isAtEnd();
    draw();
    if (wasAtEnd) this.toEnd();
    this.deps.onEmpty(this.#drawing?.isEmpty ?? true);
  }
}
