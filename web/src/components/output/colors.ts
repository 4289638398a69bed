/** Terminal colors in the page's theme, adjusted until they are readable on their background. */

export type Rgb = readonly [red: number, green: number, blue: number];

/** The default text and background colors, and the sixteen ANSI colors. */
export type TerminalPalette = { ink: Rgb; paper: Rgb; ansi: readonly Rgb[] };

/** Yellow is not the theme's amber, which is reserved for what waits for a person. */
const ANSI = [
  "light-dark(#1d1f23, #4a505b)",
  "var(--fail)",
  "var(--done)",
  "light-dark(#6f6200, #d5c56b)",
  "var(--run)",
  "var(--check)",
  "light-dark(#0b6b75, #67c3cd)",
  "light-dark(#5b606a, #c6cbd3)",
] as const;
const BRIGHT = ["var(--faint)", ...ANSI.slice(1, 7), "var(--ink)"];

/** Reads the colors of the current theme. */
export function readTerminalPalette(near: HTMLElement): TerminalPalette {
  const probe = near.ownerDocument.createElement("span");
  near.append(probe);
  const read = (color: string): Rgb => {
    probe.style.color = color;
    return parseRgb(getComputedStyle(probe).color);
  };
  const palette = {
    ink: read("var(--ink)"),
    paper: read("var(--panel)"),
    ansi: [...ANSI, ...BRIGHT].map(read),
  };
  probe.remove();
  return palette;
}

/** Parses `rgb(1, 2, 3)`, the form of a computed color. */
export function parseRgb(color: string): Rgb {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}

const LEVELS = [0, 95, 135, 175, 215, 255];

/** One of the 256 terminal colors: sixteen ANSI colors, a color cube, and greys. */
export function indexedColor(palette: TerminalPalette, index: number): Rgb {
  if (index < 16) return palette.ansi[index] ?? palette.ink;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const at = index - 16;
  const level = (n: number) => LEVELS[n % 6] ?? 0;
  return [level(Math.floor(at / 36)), level(Math.floor(at / 6)), level(at)];
}

export const mixColors = (from: Rgb, to: Rgb, share: number): Rgb => {
  const part = (n: 0 | 1 | 2) => Math.round(from[n] + (to[n] - from[n]) * share);
  return [part(0), part(1), part(2)];
};

export const toCssColor = ([red, green, blue]: Rgb): string => `rgb(${red}, ${green}, ${blue})`;

/** The contrast ratio of two colors by WCAG, from 1 to 21. */
export function contrastRatio(left: Rgb, right: Rgb): number {
  const [dark = 0, light = 0] = [luminance(left), luminance(right)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const CONTRAST_MIN = 4.5;
const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

/** The color, or the nearest one that is readable on the background: agents assume a dark one. */
export function toReadableColor(ink: Rgb, paper: Rgb): Rgb {
  if (contrastRatio(ink, paper) >= CONTRAST_MIN) return ink;
  const end = contrastRatio(WHITE, paper) > contrastRatio(BLACK, paper) ? WHITE : BLACK;
  for (let share = 0.1; share < 1; share += 0.1) {
    const nearer = mixColors(ink, end, share);
    if (contrastRatio(nearer, paper) >= CONTRAST_MIN) return nearer;
  }
  return end;
}
