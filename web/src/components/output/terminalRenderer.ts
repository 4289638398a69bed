/**
 * Renders a terminal's lines as plain text elements, which can be selected, searched, wrapped and read aloud.
 *
 * Lines that have scrolled off the screen never change, so only those of the screen are compared again.
 */

import type { IBufferCell, IMarker, Terminal } from "@xterm/headless";
import type { TerminalPalette } from "./colors";
import { type TextSpan, toTextSpans } from "./textSpans";

type RenderedRow = {
  element: HTMLElement;
  /** Equal for rows that look the same. */
  contentKey: string;
};

export class TerminalRenderer {
  #rows: RenderedRow[] = [];
  /** The first line of the screen when it was last drawn, and a marker that moves with that line. */
  #base = 0;
  #marker: IMarker | undefined;
  #buffer: "normal" | "alternate" = "normal";
  #cell: IBufferCell;

  constructor(
    private readonly terminal: Terminal,
    private readonly container: HTMLElement,
    private palette: TerminalPalette,
    private inColumns: boolean,
  ) {
    this.#cell = terminal.buffer.active.getNullCell();
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  /** Draws everything again, with other colors or in another layout. */
  restyle(palette: TerminalPalette, inColumns: boolean): void {
    this.palette = palette;
    this.inColumns = inColumns;
    this.clear();
    this.draw();
  }

  clear(): void {
    this.#rows = [];
    this.#marker?.dispose();
    this.#marker = undefined;
    this.container.replaceChildren();
  }

  draw(): void {
    const buffer = this.terminal.buffer.active;
    if (buffer.type !== this.#buffer || !this.#marker || this.#marker.isDisposed) this.clear();
    this.#buffer = buffer.type;
    // The alternate screen has no scrollback and is shown as a whole.
    this.container.dataset["screen"] = buffer.type;
    this.container.style.setProperty("--rows", String(this.terminal.rows));
    // Remove lines that the emulator has dropped from its scrollback.
    const top = this.#marker?.line ?? 0;
    for (const { element } of this.#rows.splice(0, Math.max(this.#base - top, 0))) element.remove();
    const from = Math.min(top, this.#rows.length);
    const end = this.#end();
    for (let n = from; n < end; n += 1) this.#drawRow(n);
    for (const { element } of this.#rows.splice(end)) element.remove();
    this.#marker?.dispose();
    this.#base = buffer.baseY;
    this.#marker = this.terminal.registerMarker(-buffer.cursorY);
  }

  /** The number of lines up to the last one that is not empty. */
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
    const continues = buffer.getLine(n + 1)?.isWrapped === true;
    const spans = toTextSpans(line, this.#cell, this.palette, { inColumns: this.inColumns, continues });
    const contentKey = JSON.stringify([continues, line.isWrapped, spans]);
    const row = this.#rows[n];
    if (row?.contentKey === contentKey) return;
    const element = row?.element ?? this.container.ownerDocument.createElement("div");
    // A wrapped row is part of the same line.
    element.className = continues || line.isWrapped ? "row joined" : "row";
    const needsBreak = !continues && (spans.length === 0 || line.isWrapped);
    element.replaceChildren(...spans.map((span) => this.#toNode(span)), ...(needsBreak ? ["\n"] : []));
    if (!row) this.container.append(element);
    this.#rows[n] = { element, contentKey };
  }

  #toNode({ text, style, isWide }: TextSpan): HTMLElement | string {
    if (style === null && !isWide) return text;
    const element = this.container.ownerDocument.createElement("span");
    element.textContent = text;
    if (isWide) element.className = "wide";
    if (style !== null) {
      element.style.color = style.color;
      if (style.background !== "") element.style.backgroundColor = style.background;
      if (style.isBold) element.style.fontWeight = "600";
      if (style.isItalic) element.style.fontStyle = "italic";
      if (style.decoration !== "") element.style.textDecoration = style.decoration;
    }
    return element;
  }
}
