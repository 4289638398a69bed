/**
 * Draws a terminal's lines as the page's own text: it can be read aloud, selected, found and wrapped, and needs no
 * style but that of its elements.
 *
 * Lines that scrolled off the screen never change, so only those of the screen are looked at again.
 */

import type { IBufferCell, IMarker, Terminal } from "@xterm/headless";
import type { Palette } from "./colors";
import { type Run, toRuns } from "./runs";

type Row = { element: HTMLElement; mark: string };

export class Drawing {
  #rows: Row[] = [];
  /** Where the screen began when it was last drawn, and a mark that goes with that line. */
  #base = 0;
  #mark: IMarker | undefined;
  #buffer: "normal" | "alternate" = "normal";
  #cell: IBufferCell;

  constructor(
    private readonly terminal: Terminal,
    private readonly place: HTMLElement,
    private palette: Palette,
    private inColumns: boolean,
  ) {
    this.#cell = terminal.buffer.active.getNullCell();
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  /** Draws everything anew, in other colours or another form. */
  become(palette: Palette, inColumns: boolean): void {
    this.palette = palette;
    this.inColumns = inColumns;
    this.clear();
    this.draw();
  }

  clear(): void {
    this.#rows = [];
    this.#mark?.dispose();
    this.#mark = undefined;
    this.place.replaceChildren();
  }

  draw(): void {
    const buffer = this.terminal.buffer.active;
    if (buffer.type !== this.#buffer || !this.#mark || this.#mark.isDisposed) this.clear();
    this.#buffer = buffer.type;
    // A screen without a past is shown whole.
    this.place.dataset["screen"] = buffer.type;
    this.place.style.setProperty("--rows", String(this.terminal.rows));
    // Lines that were forgotten at the top are gone from the page too.
    const top = this.#mark?.line ?? 0;
    for (const { element } of this.#rows.splice(0, Math.max(this.#base - top, 0))) element.remove();
    const from = Math.min(top, this.#rows.length);
    const end = this.#end();
    for (let n = from; n < end; n += 1) this.#drawRow(n);
    for (const { element } of this.#rows.splice(end)) element.remove();
    this.#mark?.dispose();
    this.#base = buffer.baseY;
    this.#mark = this.terminal.registerMarker(-buffer.cursorY);
  }

  /** The line behind the last that has something in it. */
  #end(): number {
    const buffer = this.terminal.buffer.active;
    for (let n = buffer.length - 1; n >= 0; n -= 1) {
      if (buffer.getLine(n)?.translateToString(true)) return n + 1;
    }
    return 0;
  }

  #drawRow(n: number): void {
    const buffer = this.terminal.buffer.active;
    const line = buffer.getLine(n);
    if (!line) return;
    const goesOn = buffer.getLine(n + 1)?.isWrapped === true;
    const runs = toRuns(line, this.#cell, this.palette, { inColumns: this.inColumns, goesOn });
    const mark = JSON.stringify([goesOn, line.isWrapped, runs]);
    const row = this.#rows[n];
    if (row?.mark === mark) return;
    const element = row?.element ?? this.place.ownerDocument.createElement("div");
    // A row that goes on in the next one is no line of its own.
    element.className = goesOn || line.isWrapped ? "row joined" : "row";
    const isShort = runs.length === 0 || (line.isWrapped && !goesOn);
    element.replaceChildren(...runs.map((run) => this.#piece(run)), ...(isShort && !goesOn ? ["\n"] : []));
    if (!row) this.place.append(element);
    this.#rows[n] = { element, mark };
  }

  #piece({ text, look, isWide }: Run): HTMLElement | string {
    if (look === null && !isWide) return text;
    const piece = this.place.ownerDocument.createElement("span");
    piece.textContent = text;
    if (isWide) piece.className = "wide";
    if (look !== null) {
      const { style } = piece;
      style.color = look.color;
      if (look.background !== "") style.backgroundColor = look.background;
      if (look.isBold) style.fontWeight = "600";
      if (look.isItalic) style.fontStyle = "italic";
      if (look.decoration !== "") style.textDecoration = look.decoration;
    }
    return piece;
  }
}
