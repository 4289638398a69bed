import { afterEach, expect, test } from "vitest";
import { createEventIdParser, EventStream } from "./eventStream";
import type { RowChange } from "./generated";
import { LiveUpdates } from "./live";

/** A server with a log that grows; every entry has two changes, with its id on the second. */
class FakeServer {
  requests: string[] = [];
  isUp = true;
  isSignedIn = true;
  #last = 10;
  #lines = new Map<ReadableStreamDefaultController<Uint8Array>, string>();

  fetch: typeof fetch = async (input, init) => {
    this.requests.push(String(input));
    if (!this.isUp) throw new TypeError("Failed to fetch");
    if (!this.isSignedIn) return Response.json({ detail: "no token" }, { status: 401 });
    const after = new URL(String(input), "http://x").searchParams.get("after");
    const missed =
      after === null
        ? ""
        : numbersFromTo(Number(after) + 1, this.#last)
            .map(entryAsEvents)
            .join("");
    const body = new ReadableStream<Uint8Array>({
      start: (line) => {
        this.#lines.set(line, "");
        this.#send(line, `retry: 1000\nid: ${after ?? this.#last}\n\n${missed}`);
        init?.signal?.addEventListener("abort", () => this.#end(line));
      },
    });
    return new Response(body);
  };

  get nConnections(): number {
    return this.#lines.size;
  }

  appendEntry(): void {
    this.#last += 1;
    for (const line of this.#lines.keys()) {
      const text = entryAsEvents(this.#last);
      // In pieces, as a network delivers them.
      this.#send(line, text.slice(0, 30));
      this.#send(line, text.slice(30));
    }
  }

  /** Sends the first half of an entry. */
  sendHalfEntry(): void {
    for (const line of this.#lines.keys()) this.#send(line, entryAsEvents(this.#last + 1).slice(0, 100));
  }

  kill(): void {
    this.isUp = false;
    for (const line of this.#lines.keys()) this.#end(line);
  }

  #send(line: ReadableStreamDefaultController<Uint8Array>, text: string): void {
    line.enqueue(new TextEncoder().encode(text));
  }

  #end(line: ReadableStreamDefaultController<Uint8Array>): void {
    if (this.#lines.delete(line)) line.error(new TypeError("network error"));
  }
}

const numbersFromTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
const changeJson = (key: string, sequence: number) =>
  JSON.stringify({ run: "r1", sequence, kind: "task", key, row: {} });
const entryAsEvents = (id: number) =>
  `event: task.changed\ndata: ${changeJson(`a${id}`, id)}\n\nevent: task.changed\nid: ${id}\ndata: ${changeJson(`b${id}`, id)}\n\n`;
const keysOfEntries = (from: number, to: number) =>
  numbersFromTo(from, to).flatMap((id) => [`a${id}`, `b${id}`]);

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Returns a function that opens a tab of one browser: its shared worker is a stream that all tabs connect to. */
function newTabOpener(server: FakeServer) {
  const stream = new EventStream(server.fetch);
  return () => {
    const { port1, port2 } = new MessageChannel();
    const received: string[] = [];
    const live = new LiveUpdates({
      connect: (onPort) => {
        stream.connect(port1);
        onPort(port2);
      },
      onChanges: (all: RowChange[]) => received.push(...all.map(({ key }) => key)),
    });
    const close = live.start();
    closing.push(close, () => port2.close());
    return { live, received, close };
  };
}

async function waitUntil(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
}

test("all tabs share one connection and receive the same changes", async () => {
  const server = new FakeServer();
  const open = newTabOpener(server);
  const tabs = [open()];
  await waitUntil(() => server.nConnections === 1);
  server.appendEntry();
  await waitUntil(() => tabs.every(({ received }) => received.includes("b11")));
  tabs.push(...numbersFromTo(1, 7).map(() => open()));
  await Promise.all(tabs.map(({ live }) => live.ready));
  server.appendEntry();
  server.appendEntry();
  await waitUntil(() => tabs.every(({ received }) => received.includes("b13")));
  expect(server.nConnections).toBe(1);
  expect(server.requests).toEqual(["/api/live"]);
  const [first, ...others] = tabs.map(({ received }) => received);
  expect(first).toEqual(keysOfEntries(11, 13));
  for (const received of others) expect(received).toEqual(keysOfEntries(12, 13));
  for (const { live } of tabs) expect(live.state.type).toBe("open");
});

test("a tab that closes does not disturb the others, and the last one ends the connection", async () => {
  const server = new FakeServer();
  const open = newTabOpener(server);
  const [first, second, third] = [open(), open(), open()];
  await Promise.all([first, second, third].map(({ live }) => live.ready));
  server.appendEntry();
  await waitUntil(() => third.received.length === 2);
  const states: string[] = [];
  for (const { live } of [second, third]) live.subscribe(() => states.push(live.state.type));
  first.close();
  server.appendEntry();
  await waitUntil(() => [second, third].every(({ received }) => received.includes("b12")));
  expect(server.requests).toEqual(["/api/live"]);
  for (const { received } of [second, third]) expect(received).toEqual(keysOfEntries(11, 12));
  expect(states).toEqual([]);
  second.close();
  third.close();
  await waitUntil(() => server.nConnections === 0);
  const later = open();
  await later.live.ready;
  expect(server.requests).toEqual(["/api/live", "/api/live"]);
});

test("every tab shows that the server is unreachable, and resumes without losing a change", async () => {
  const server = new FakeServer();
  const open = newTabOpener(server);
  const tabs = [open(), open(), open()];
  await Promise.all(tabs.map(({ live }) => live.ready));
  server.appendEntry();
  await waitUntil(() => tabs.every(({ received }) => received.length === 2));
  server.sendHalfEntry();
  server.kill();
  await waitUntil(() => tabs.every(({ live }) => live.state.type === "offline"));
  const late = open();
  await waitUntil(() => late.live.state.type === "offline");
  server.appendEntry();
  server.isUp = true;
  await waitUntil(() => [...tabs, late].every(({ live }) => live.state.type === "open"));
  server.appendEntry();
  await waitUntil(() => tabs.every(({ received }) => received.includes("b13")));
  expect(server.requests.at(-1)).toBe("/api/live?after=11");
  for (const { received } of tabs) {
    expect(received.slice(0, 2)).toEqual(keysOfEntries(11, 11));
    // An entry that was received in part is sent again.
    expect([...new Set(received)]).toEqual(keysOfEntries(11, 13));
  }
  expect(server.nConnections).toBe(1);
});

test("a tab that signs in reconnects the tabs that were signed out", async () => {
  const server = new FakeServer();
  server.isSignedIn = false;
  const open = newTabOpener(server);
  const first = open();
  await waitUntil(() => first.live.state.type === "signedOut");
  server.isSignedIn = true;
  const second = open();
  await Promise.all([first, second].map(({ live }) => live.ready));
  expect(first.live.state.type).toBe("open");
  expect(server.requests).toHaveLength(2);
});

test("an id is found wherever the stream is split", () => {
  const whole = "id: 811\n\nevent: a\nid: 812\ndata: {}\n\nid: 813";
  for (let cut = 0; cut <= whole.length; cut += 1) {
    const ids: string[] = [];
    const feed = createEventIdParser((id) => ids.push(id));
    feed(whole.slice(0, cut));
    feed(whole.slice(cut));
    expect(ids).toEqual(["811", "812"]);
  }
});
