// @vitest-environment happy-dom
import { act, useRef } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useStickToEnd } from "./useStickToEnd";

const LINE_PX = 100;
const SEEN_PX = 500;
let holder: HTMLElement;
let root: Root;

function Lines({ n, force = false }: { n: number; force?: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useStickToEnd(() => box.current, n, force);
  return <div ref={box} data-lines={n} />;
}

const box = () => holder.firstElementChild as HTMLElement;
const show = (n: number, force?: boolean) => act(async () => root.render(<Lines n={n} force={force} />));
const scroll = (top: number) => {
  box().scrollTop = top;
  box().dispatchEvent(new Event("scroll"));
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
  await show(0);
  await show(20);
  expect(box().scrollTop).toBe(2000);
  await show(40);
  expect(box().scrollTop).toBe(4000);
  scroll(3300);
  await show(41);
  expect(box().scrollTop).toBe(4100);
});

test.each([0, 700])("a reader who has scrolled to %i px stays there", async (top) => {
  await show(20);
  scroll(top);
  await show(21);
  expect(box().scrollTop).toBe(top);
});

test("a forced update scrolls to the end", async () => {
  await show(20);
  scroll(0);
  await show(21, true);
  expect(box().scrollTop).toBe(2100);
});
