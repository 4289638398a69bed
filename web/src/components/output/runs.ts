/** A line of a terminal as pieces that look alike. */

import type { IBufferCell, IBufferLine } from "@xterm/headless";
import { css, indexed, mixed, type Palette, type Rgb, readable } from "./colors";

export type Look = {
  color: string;
  background: string;
  isBold: boolean;
  isItalic: boolean;
  decoration: string;
};
/** `look` is `null` for what nobody coloured. A wide sign stands alone where signs must stand in columns. */
export type Run = { text: string; look: Look | null; isWide: boolean };

const RGB = 0xff;

/** Takes a line apart. Blanks at its end are left out, unless they are coloured or it goes on in the next one. */
export function toRuns(
  line: IBufferLine,
  cell: IBufferCell,
  palette: Palette,
  { inColumns, goesOn }: { inColumns: boolean; goesOn: boolean },
): Run[] {
  const runs: Run[] = [];
  let before = "";
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
    const mark = isPlain ? "" : markOf(cell);
    let last = runs.at(-1);
    if (blanks !== "") {
      // Blanks join plain words, so that a line of words is one piece.
      if (last && last.look === null && !last.isWide) last.text += blanks;
      else {
        last = { text: blanks, look: null, isWide: false };
        runs.push(last);
        before = "";
      }
      blanks = "";
    }
    if (last && mark === before && !isWide && !last.isWide) last.text += text;
    else runs.push({ text, look: isPlain ? null : lookOf(cell, palette), isWide });
    before = mark;
  }
  if (goesOn && blanks !== "") runs.push({ text: blanks, look: null, isWide: false });
  return runs;
}

/** A text that is the same for cells that look the same. */
function markOf(cell: IBufferCell): string {
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

function lookOf(cell: IBufferCell, palette: Palette): Look {
  let ink = cell.isFgDefault() ? palette.ink : colorOf(cell.isFgRGB(), cell.getFgColor(), palette);
  let paper = cell.isBgDefault() ? palette.paper : colorOf(cell.isBgRGB(), cell.getBgColor(), palette);
  if (cell.isInverse()) [ink, paper] = [paper, ink];
  if (cell.isDim()) ink = mixed(ink, paper, 0.35);
  ink = cell.isInvisible() ? paper : readable(ink, paper);
  const lines = [
    cell.isUnderline() && "underline",
    cell.isStrikethrough() && "line-through",
    cell.isOverline() && "overline",
  ];
  return {
    color: css(ink),
    background: cell.isBgDefault() && !cell.isInverse() ? "" : css(paper),
    isBold: cell.isBold() !== 0,
    isItalic: cell.isItalic() !== 0,
    decoration: lines.filter(Boolean).join(" "),
  };
}

function colorOf(isRgb: boolean, value: number, palette: Palette): Rgb {
  return isRgb ? [(value >> 16) & RGB, (value >> 8) & RGB, value & RGB] : indexed(palette, value);
}
