// @vitest-environment happy-dom
import { act, type ReactNode, Suspense } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ErrorBoundary } from "./ErrorBoundary";
import { lazyWithRetry } from "./lazyWithRetry";

const renderRetryButton = (_: unknown, retry: () => void) => (
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

const renderInRoot = (what: ReactNode) => act(async () => root.render(what));

test("a part that could not be loaded is loaded again on retry", async () => {
  let isAway = true;
  const load = vi.fn(async () => {
    if (isAway) throw new TypeError("Failed to fetch dynamically imported module");
    return { default: () => "the board" };
  });
  const Board = lazyWithRetry(load);
  const page = (
    <ErrorBoundary fallback={renderRetryButton}>
      <Suspense>
        <Board />
      </Suspense>
    </ErrorBoundary>
  );
  await renderInRoot(page);
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

function ThrowingComponent(): ReactNode {
  throw new Error("broken");
}

test("an error of one view does not replace another view", async () => {
  await renderInRoot(
    <ErrorBoundary of="board" fallback={renderRetryButton}>
      <ThrowingComponent />
    </ErrorBoundary>,
  );
  expect(box.textContent).toBe("again");
  await renderInRoot(
    <ErrorBoundary of="chat" fallback={renderRetryButton}>
      the chat
    </ErrorBoundary>,
  );
  expect(box.textContent).toBe("the chat");
});
