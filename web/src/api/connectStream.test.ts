import { afterEach, expect, test, vi } from "vitest";
import { connectStream } from "./connectStream";

/** A shared worker whose script loads when `answer` is called, and does not when it dispatches `error`. */
class FakeSharedWorker extends EventTarget {
  static last: FakeSharedWorker;
  readonly #channel = new MessageChannel();
  readonly port = this.#channel.port1;

  constructor() {
    super();
    FakeSharedWorker.last = this;
  }

  async answer(): Promise<void> {
    const isAnswered = new Promise((resolve) => this.port.addEventListener("message", resolve));
    this.port.start();
    this.#channel.port2.postMessage({ type: "ready" });
    await isAnswered;
  }
}

let ports: MessagePort[] = [];
let nRequests = 0;
function connectWithGlobals(globals: object): void {
  vi.stubGlobal("fetch", () => {
    nRequests += 1;
    return new Promise(() => {});
  });
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  connectStream((port) => ports.push(port));
}

afterEach(() => {
  vi.unstubAllGlobals();
  for (const port of ports) port.postMessage("leave");
  ports = [];
  nRequests = 0;
});

test("a browser with shared workers opens no connection for the tab", () => {
  connectWithGlobals({ SharedWorker: FakeSharedWorker });
  expect(ports).toEqual([FakeSharedWorker.last.port]);
  expect(nRequests).toBe(0);
});

test("a browser without shared workers opens a connection for the tab", () => {
  connectWithGlobals({});
  expect(ports).toHaveLength(1);
  expect(nRequests).toBe(1);
});

test("a worker that fails to load is replaced by a connection of the tab, and a running one is not", async () => {
  connectWithGlobals({ SharedWorker: FakeSharedWorker });
  FakeSharedWorker.last.dispatchEvent(new Event("error"));
  expect(ports).toHaveLength(2);
  expect(nRequests).toBe(1);
  connectWithGlobals({ SharedWorker: FakeSharedWorker });
  await FakeSharedWorker.last.answer();
  FakeSharedWorker.last.dispatchEvent(new Event("error"));
  expect(ports).toHaveLength(3);
  expect(nRequests).toBe(1);
});
