import { afterEach, expect, test } from "vitest";
import type { Changed } from "./generated";
import { Live } from "./live";
import { TabStream } from "./tabs";

/** A server with a log that grows; every entry has two changes, and its id stands on the second. */
class Server {
  asked: string[] = [];
  isUp = true;
  #last = 10;
  #lines = new Map<ReadableStreamDefaultController<Uint8Array>, string>();

  fetch: typeof fetch = async (input, init) => {
    this.asked.push(String(input));
    if (!this.isUp) throw new TypeError("Failed to fetch");
    const after = new URL(String(input), "http://x").searchParams.get("after");
    const missed =
      after === null
        ? ""
        : range(Number(after) + 1, this.#last)
            .map(entry)
            .join("");
    const body = new ReadableStream<Uint8Array>({
      start: (line) => {
        this.#lines.set(line, "");
        this.#tell(line, `retry: 1000\nid: ${after ?? this.#last}\n\n${missed}`);
        init?.signal?.addEventListener("abort", () => this.#end(line));
      },
    });
    return new Response(body);
  };

  get nListeners(): number {
    return this.#lines.size;
  }

  grow(): void {
    this.#last += 1;
    for (const line of this.#lines.keys()) {
      const text = entry(this.#last);
      // In pieces, as a connection brings them.
      this.#tell(line, text.slice(0, 30));
      this.#tell(line, text.slice(30));
    }
  }

  /** Half of an entry that nobody will hear the end of. */
  growHalf(): void {
    for (const line of this.#lines.keys()) this.#tell(line, entry(this.#last + 1).slice(0, 100));
  }

  kill(): void {
    this.isUp = false;
    for (const line of this.#lines.keys()) this.#end(line);
  }

  #tell(line: ReadableStreamDefaultController<Uint8Array>, text: string): void {
    line.enqueue(new TextEncoder().encode(text));
  }

  #end(line: ReadableStreamDefaultController<Uint8Array>): void {
    if (this.#lines.delete(line)) line.error(new TypeError("network error"));
  }
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
const change = (key: string, sequence: number) =>
  JSON.stringify({ run: "r1", sequence, kind: "task", key, row: {} });
const entry = (id: number) =>
  `event: task.changed\ndata: ${change(`a${id}`, id)}\n\nevent: task.changed\nid: ${id}\ndata: ${change(`b${id}`, id)}\n\n`;
const keysOf = (from: number, to: number) => range(from, to).flatMap((id) => [`a${id}`, `b${id}`]);

/** The locks of a browser: whoever comes first has it, and the next one when that is gone. */
function newLocks(): Pick<LockManager, "request"> {
  let last: Promise<unknown> = Promise.resolve();
  const request = (_: string, held: () => Promise<unknown>) => {
    last = last.then(held);
    return last;
  };
  return { request } as Pick<LockManager, "request">;
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

let n = 0;
/** A browser in which tabs are opened. */
function newBrowser(server: Server) {
  const locks = newLocks();
  n += 1;
  const name = `test ${n}`;
  return () => {
    const channel = new BroadcastChannel(name);
    const stream = new TabStream({ fetch: server.fetch, channel, locks });
    const heard: string[] = [];
    const live = new Live({
      fetch: stream.fetch,
      onChanges: (all: Changed[]) => heard.push(...all.map(({ key }) => key)),
    });
    const stop = live.start();
    const close = () => {
      stop();
      stream.close();
      channel.close();
    };
    closing.push(close);
    return { live, heard, close, stream };
  };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
}

test("however many tabs there are, the server has one listener, and all hear the same", async () => {
  const server = new Server();
  const open = newBrowser(server);
  const tabs = [open()];
  await until(() => server.nListeners === 1);
  server.grow();
  tabs.push(...range(1, 7).map(() => open()));
  await Promise.all(tabs.map(({ live }) => live.heard));
  server.grow();
  server.grow();
  await until(() => tabs.every(({ heard }) => heard.includes("b13")));
  expect(server.nListeners).toBe(1);
  expect(server.asked).toEqual(["/api/live"]);
  const [first, ...others] = tabs.map(({ heard }) => heard);
  expect(first).toEqual(keysOf(11, 13));
  for (const heard of others) expect(heard).toEqual(keysOf(12, 13));
});

test("when the tab that asks is closed another one goes on, and no tab misses anything", async () => {
  const server = new Server();
  const open = newBrowser(server);
  const [first, second, third] = [open(), open(), open()];
  await Promise.all([first, second, third].map(({ live }) => live.heard));
  server.grow();
  await until(() => third.heard.length === 2);
  server.growHalf();
  first.close();
  server.grow();
  await until(() => [second, third].every(({ heard }) => heard.includes("b12")));
  expect(server.asked).toEqual(["/api/live", "/api/live?after=11"]);
  for (const { heard, live } of [second, third]) {
    expect(heard.slice(0, 2)).toEqual(keysOf(11, 11));
    // What was heard in part comes once more.
    expect([...new Set(heard)]).toEqual(keysOf(11, 12));
    expect(live.state.type).toBe("open");
  }
});

test("a server that was killed is missed in every tab, and found again without loss", async () => {
  const server = new Server();
  const open = newBrowser(server);
  const tabs = [open(), open(), open()];
  await Promise.all(tabs.map(({ live }) => live.heard));
  server.grow();
  await until(() => tabs.every(({ heard }) => heard.length === 2));
  server.kill();
  await until(() => tabs.every(({ live }) => live.state.type === "offline"));
  server.grow();
  server.isUp = true;
  await until(() => tabs.every(({ live }) => live.state.type === "open"));
  server.grow();
  await until(() => tabs.every(({ heard }) => heard.includes("b13")));
  for (const { heard } of tabs) expect([...new Set(heard)]).toEqual(keysOf(11, 13));
  expect(server.nListeners).toBe(1);
});

test("a tab that was away too long catches up by itself, then follows the others again", async () => {
  const server = new Server();
  const open = newBrowser(server);
  for (const _ of range(11, 15)) server.grow();
  const leader = open();
  await leader.live.heard;
  const { stream } = open();
  const caughtUp = await stream.fetch("/api/live?after=11");
  // It ends by itself where the others are.
  const text = await caughtUp.text();
  for (const key of keysOf(12, 15)) expect(text).toContain(`"${key}"`);
  expect(server.asked).toEqual(["/api/live", "/api/live?after=11"]);
  const followed = await stream.fetch("/api/live?after=15");
  expect(followed.ok).toBe(true);
  expect(server.asked).toHaveLength(2);
});

test("where the one with the lock says nothing, a tab asks by itself", async () => {
  const server = new Server();
  const locks = newLocks();
  void locks.request("jangdan.live", () => new Promise(() => {}));
  n += 1;
  const channel = new BroadcastChannel(`test ${n}`);
  const stream = new TabStream({ fetch: server.fetch, channel, locks });
  closing.push(() => channel.close());
  const response = await stream.fetch("/api/live");
  expect(response.ok).toBe(true);
  expect(server.asked).toEqual(["/api/live"]);
});
