// @vitest-environment happy-dom
import { Terminal } from "@xterm/headless";
import { beforeEach, expect, test } from "vitest";
import type { Palette, Rgb } from "./colors";
import { TerminalRenderer } from "./terminalRenderer";

const ansi = Array.from({ length: 16 }, (): Rgb => [200, 0, 0]);
const palette: Palette = { ink: [0, 0, 0], paper: [255, 255, 255], ansi };

let terminal: Terminal;
let renderer: TerminalRenderer;
let container: HTMLElement;

beforeEach(() => begin(20, 4));

function begin(cols: number, rows: number, inColumns = false, scrollback = 100): void {
  terminal = new Terminal({ cols, rows, scrollback, allowProposedApi: true });
  container = document.createElement("pre");
  renderer = new TerminalRenderer(terminal, container, palette, inColumns);
}

async function print(text: string): Promise<void> {
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  renderer.draw();
}

const rows = () => [...container.children];
const lines = () => rows().map((row) => row.textContent?.replace(/\n$/, ""));
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => String(from + n));
const printed = (from: number, to: number) =>
  numbers(from, to)
    .map((n) => `${n}\r\n`)
    .join("");

test("lines that have scrolled away keep their elements", async () => {
  await print(printed(0, 3));
  const [first] = rows();
  await print(printed(3, 30));
  await print(printed(30, 33));
  expect(lines()).toEqual(numbers(0, 33));
  expect(rows()[0]).toBe(first);
});

test("lines dropped from the scrollback are removed from the page", async () => {
  begin(20, 4, false, 10);
  for (let n = 0; n < 60; n += 7) await print(printed(n, n + 7));
  expect(lines()).toEqual(numbers(50, 63));
});

test("only changed rows are drawn again", async () => {
  await print("one\r\ntwo\r\nthree");
  const before = rows();
  const word = before[0]?.firstChild;
  await print("\x1b[2;1Hzwo");
  expect(lines()).toEqual(["one", "zwo", "three"]);
  expect(rows()).toEqual(before);
  expect(rows()[0]?.firstChild).toBe(word);
});

test("a cleared screen is empty, and the alternate screen has no scrollback", async () => {
  await print(printed(0, 9));
  await print("\x1b[?1049h\x1b[Hdrawn");
  expect(lines()).toEqual(["drawn"]);
  await print("\x1b[?1049l");
  expect(lines()).toEqual(numbers(0, 9));
  await print("\x1b[2J\x1b[3J\x1b[H");
  expect(lines()).toEqual([]);
  await print("again");
  expect(lines()).toEqual(["again"]);
});

test("a wrapped line is copied as one line", async () => {
  await print(`${"x".repeat(19)} yyyyy\r\n\r\nnext`);
  expect(rows().map(({ className }) => className)).toEqual(["row joined", "row joined", "row", "row"]);
  expect(container.textContent).toBe(`${"x".repeat(19)} yyyyy\n\nnext`);
});

test("unreadable colors are adjusted, and text without style has no element", async () => {
  await print("plain \x1b[38;2;255;255;200mpale\x1b[m \x1b[1;4;7mloud\x1b[m");
  const [row] = rows();
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
  await print("한글 ok");
  expect(container.querySelectorAll(".wide")).toHaveLength(0);
  renderer.restyle(palette, true);
  expect(container.querySelectorAll(".wide")).toHaveLength(2);
  expect(container.textContent).toBe("한글 ok");
});
