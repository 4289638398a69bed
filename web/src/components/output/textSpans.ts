/** Splits a terminal line into spans of equal style. */

import type { IBufferCell, IBufferLine } from "@xterm/headless";
import {
  indexedColor,
  mixColors,
  type Rgb,
  type TerminalPalette,
  toCssColor,
  toReadableColor,
} from "./colors";

export type SpanStyle = {
  color: string;
  background: string;
  isBold: boolean;
  isItalic: boolean;
  decoration: string;
};
/** `style` is `null` for the default style. A wide character is a span of its own if characters must align in columns. */
export type TextSpan = { text: string; style: SpanStyle | null; isWide: boolean };

const BYTE = 0xff;

/** Blanks at the end are left out, unless they are styled or the line continues in the next row. */
export function toTextSpans(
  line: IBufferLine,
  cell: IBufferCell,
  palette: TerminalPalette,
  { inColumns, continues }: { inColumns: boolean; continues: boolean },
): TextSpan[] {
  const spans: TextSpan[] = [];
  let previousKey = "";
  let blanks = "";
  for (let x = 0; x < line.length; x += 1) {
    line.getCell(x, cell);
    if (cell.getWidth() === 0) continue;
    const isPlain = cell.isAttributeDefault();
    const text = cell.getChars() || " ";
    if (isPlain && text === " ") {
      blanks += " ";
      continue;
    }
    const isWide = inColumns && cell.getWidth() === 2;
    const key = isPlain ? "" : cellStyleKey(cell);
    let last = spans.at(-1);
    if (blanks !== "") {
      // Blanks join plain text, so that a line of plain text is one span.
      if (last && last.style === null && !last.isWide) last.text += blanks;
      else {
        last = { text: blanks, style: null, isWide: false };
        spans.push(last);
        previousKey = "";
      }
      blanks = "";
    }
    if (last && key === previousKey && !isWide && !last.isWide) last.text += text;
    else spans.push({ text, style: isPlain ? null : cellStyle(cell, palette), isWide });
    previousKey = key;
  }
  if (continues && blanks !== "") spans.push({ text: blanks, style: null, isWide: false });
  return spans;
}

/** Equal for cells with the same style. */
function cellStyleKey(cell: IBufferCell): string {
  const flags = [
    cell.isBold(),
    cell.isItalic(),
    cell.isDim(),
    cell.isUnderline(),
    cell.isStrikethrough(),
    cell.isOverline(),
    cell.isInverse(),
    cell.isInvisible(),
  ];
  const color = `${cell.getFgColorMode()}.${cell.getFgColor()}.${cell.getBgColorMode()}.${cell.getBgColor()}`;
  return `${color}.${flags.map((flag) => (flag ? 1 : 0)).join("")}`;
}

function cellStyle(cell: IBufferCell, palette: TerminalPalette): SpanStyle {
  let ink = cell.isFgDefault() ? palette.ink : cellColor(cell.isFgRGB(), cell.getFgColor(), palette);
  let paper = cell.isBgDefault() ? palette.paper : cellColor(cell.isBgRGB(), cell.getBgColor(), palette);
  if (cell.isInverse()) [ink, paper] = [paper, ink];
  if (cell.isDim()) ink = mixColors(ink, paper, 0.35);
  ink = cell.isInvisible() ? paper : toReadableColor(ink, paper);
  const lines = [
    cell.isUnderline() && "underline",
    cell.isStrikethrough() && "line-through",
    cell.isOverline() && "overline",
  ];
  return {
    color: toCssColor(ink),
    background: cell.isBgDefault() && !cell.isInverse() ? "" : toCssColor(paper),
    isBold: cell.isBold() !== 0,
    isItalic: cell.isItalic() !== 0,
    decoration: lines.filter(Boolean).join(" "),
  };
}

function cellColor(isRgb: boolean, value: number, palette: TerminalPalette): Rgb {
  return isRgb ? [(value >> 16) & BYTE, (value >> 8) & BYTE, value & BYTE] : indexedColor(palette, value);
}
