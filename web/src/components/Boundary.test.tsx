// @vitest-environment happy-dom
import { act, type ReactNode, Suspense } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Boundary } from "./Boundary";
import { lazily } from "./lazily";

const instead = (_: unknown, retry: () => void) => (
  <button type="button" onClick={retry}>
    again
  </button>
);

let box: HTMLElement;
let root: Root;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.spyOn(console, "error").mockImplementation(() => {});
  box = document.createElement("div");
  root = createRoot(box);
});

afterEach(() => {
  act(() => root.unmount());
  vi.restoreAllMocks();
});

const show = (what: ReactNode) => act(async () => root.render(what));

test("a part that could not be fetched is fetched again when somebody wants that", async () => {
  let isAway = true;
  const load = vi.fn(async () => {
    if (isAway) throw new TypeError("Failed to fetch dynamically imported module");
    return { default: () => "the board" };
  });
  const Board = lazily(load);
  const page = (
    <Boundary instead={instead}>
      <Suspense>
        <Board />
      </Suspense>
    </Boundary>
  );
  await show(page);
  expect(box.textContent).toBe("again");
  const again = () => act(async () => box.querySelector("button")?.click());
  await again();
  expect(box.textContent).toBe("again");
  expect(load).toHaveBeenCalledTimes(2);
  isAway = false;
  await again();
  expect(box.textContent).toBe("the board");
  expect(load).toHaveBeenCalledTimes(3);
});

function Broken(): ReactNode {
  throw new Error("broken");
}

test("what broke in one view is not shown in place of another", async () => {
  await show(
    <Boundary of="board" instead={instead}>
      <Broken />
    </Boundary>,
  );
  expect(box.textContent).toBe("again");
  await show(
    <Boundary of="chat" instead={instead}>
      the chat
    </Boundary>,
  );
  expect(box.textContent).toBe("the chat");
});
