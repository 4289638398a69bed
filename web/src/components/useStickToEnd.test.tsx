// @vitest-environment happy-dom
import { act, useRef } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useStickToEnd } from "./useStickToEnd";

const LINE_PX = 100;
const SEEN_PX = 500;
let holder: HTMLElement;
let root: Root;

function LineList({ n, force = false }: { n: number; force?: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useStickToEnd(() => box.current, n, force);
  return <div ref={box} data-lines={n} />;
}

const scrollBox = () => holder.firstElementChild as HTMLElement;
const renderLines = (n: number, force?: boolean) =>
  act(async () => root.render(<LineList n={n} force={force} />));
const scrollBoxTo = (top: number) => {
  scrollBox().scrollTop = top;
  scrollBox().dispatchEvent(new Event("scroll"));
};

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  // The test DOM has no layout, so the height of a line is fixed here.
  vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockImplementation(function (this: HTMLElement) {
    return Number(this.dataset["lines"]) * LINE_PX;
  });
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(SEEN_PX);
  holder = document.createElement("div");
  root = createRoot(holder);
});

afterEach(() => {
  act(() => root.unmount());
  vi.restoreAllMocks();
});

test("the end is shown first, and stays visible however much is added at once", async () => {
  await renderLines(0);
  await renderLines(20);
  expect(scrollBox().scrollTop).toBe(2000);
  await renderLines(40);
  expect(scrollBox().scrollTop).toBe(4000);
  scrollBoxTo(3300);
  await renderLines(41);
  expect(scrollBox().scrollTop).toBe(4100);
});

test.each([0, 700])("a reader who has scrolled to %i px stays there", async (top) => {
  await renderLines(20);
  scrollBoxTo(top);
  await renderLines(21);
  expect(scrollBox().scrollTop).toBe(top);
});

test("a forced update scrolls to the end", async () => {
  await renderLines(20);
  scrollBoxTo(0);
  await renderLines(21, true);
  expect(scrollBox().scrollTop).toBe(2100);
});
