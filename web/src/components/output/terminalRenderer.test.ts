// @vitest-environment happy-dom
import { Terminal } from "@xterm/headless";
import { beforeEach, expect, test } from "vitest";
import type { Rgb, TerminalPalette } from "./colors";
import { TerminalRenderer } from "./terminalRenderer";

const ansi = Array.from({ length: 16 }, (): Rgb => [200, 0, 0]);
const palette: TerminalPalette = { ink: [0, 0, 0], paper: [255, 255, 255], ansi };

let terminal: Terminal;
let renderer: TerminalRenderer;
let container: HTMLElement;

beforeEach(() => createTerminal(20, 4));

function createTerminal(cols: number, rows: number, inColumns = false, scrollback = 100): void {
  terminal = new Terminal({ cols, rows, scrollback, allowProposedApi: true });
  container = document.createElement("pre");
  renderer = new TerminalRenderer(terminal, container, palette, inColumns);
}

async function printAndDraw(text: string): Promise<void> {
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  renderer.draw();
}

const rowElements = () => [...container.children];
const shownLines = () => rowElements().map((row) => row.textContent?.replace(/\n$/, ""));
const numberStrings = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => String(from + n));
const numberedLines = (from: number, to: number) =>
  numberStrings(from, to)
    .map((n) => `${n}\r\n`)
    .join("");

test("lines that have scrolled away keep their elements", async () => {
  await printAndDraw(numberedLines(0, 3));
  const [first] = rowElements();
  await printAndDraw(numberedLines(3, 30));
  await printAndDraw(numberedLines(30, 33));
  expect(shownLines()).toEqual(numberStrings(0, 33));
  expect(rowElements()[0]).toBe(first);
});

test("lines dropped from the scrollback are removed from the page", async () => {
  createTerminal(20, 4, false, 10);
  for (let n = 0; n < 60; n += 7) await printAndDraw(numberedLines(n, n + 7));
  expect(shownLines()).toEqual(numberStrings(50, 63));
});

test("only changed rows are drawn again", async () => {
  await printAndDraw("one\r\ntwo\r\nthree");
  const before = rowElements();
  const word = before[0]?.firstChild;
  await printAndDraw("\x1b[2;1Hzwo");
  expect(shownLines()).toEqual(["one", "zwo", "three"]);
  expect(rowElements()).toEqual(before);
  expect(rowElements()[0]?.firstChild).toBe(word);
});

test("a cleared screen is empty, and the alternate screen has no scrollback", async () => {
  await printAndDraw(numberedLines(0, 9));
  await printAndDraw("\x1b[?1049h\x1b[Hdrawn");
  expect(shownLines()).toEqual(["drawn"]);
  await printAndDraw("\x1b[?1049l");
  expect(shownLines()).toEqual(numberStrings(0, 9));
  await printAndDraw("\x1b[2J\x1b[3J\x1b[H");
  expect(shownLines()).toEqual([]);
  await printAndDraw("again");
  expect(shownLines()).toEqual(["again"]);
});

test("a wrapped line is copied as one line", async () => {
  await printAndDraw(`${"x".repeat(19)} yyyyy\r\n\r\nnext`);
  expect(rowElements().map(({ className }) => className)).toEqual(["row joined", "row joined", "row", "row"]);
  expect(container.textContent).toBe(`${"x".repeat(19)} yyyyy\n\nnext`);
});

test("unreadable colors are adjusted, and text without style has no element", async () => {
  await printAndDraw("plain \x1b[38;2;255;255;200mpale\x1b[m \x1b[1;4;7mloud\x1b[m");
  const [row] = rowElements();
  expect([...(row?.childNodes ?? [])].map((node) => node.textContent)).toEqual([
    "plain ",
    "pale",
    " ",
    "loud",
  ]);
  const [pale, loud] = row?.querySelectorAll("span") ?? [];
  expect(pale?.style.color).toMatch(/^rgb\(1\d\d, 1\d\d, /);
  expect(loud?.style.backgroundColor).toBe("rgb(0, 0, 0)");
  expect(loud?.style.textDecoration).toBe("underline");
});

test("wide characters have elements of their own only in columns", async () => {
  await printAndDraw("한글 ok");
  expect(container.querySelectorAll(".wide")).toHaveLength(0);
  renderer.restyle(palette, true);
  expect(container.querySelectorAll(".wide")).toHaveLength(2);
  expect(container.textContent).toBe("한글 ok");
});
