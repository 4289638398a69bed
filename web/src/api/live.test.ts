import { expect, test } from "vitest";
import { EventStream } from "./eventStream";
import type { RowChange } from "./generated";
import { LiveUpdates } from "./live";

/** A server that answers each connection with its next script, and records the requests. */
function scriptedServer(...scripts: string[][]) {
  const requests: string[] = [];
  const answer = async (url: unknown) => {
    requests.push(String(url));
    const script = scripts.shift();
    if (!script) return new Promise<Response>(() => {});
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of script) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    });
    return new Response(body, { status: 200 });
  };
  return { requests, fetch: answer as typeof fetch };
}

const changeEventText = (key: string, sequence: number, id?: number) =>
  `event: task.changed\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify({ run: "r1", sequence, kind: "task", key, row: {} })}\n\n`;

/** A tab with a stream of its own. */
function newLiveUpdates(fetch: unknown, onChanges: (changes: RowChange[]) => void = () => {}): LiveUpdates {
  const connect = (onPort: (port: MessagePort) => void) => {
    const { port1, port2 } = new MessageChannel();
    new EventStream(fetch as typeof globalThis.fetch).connect(port1);
    onPort(port2);
  };
  return new LiveUpdates({ connect, onChanges });
}

async function waitUntil(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
}

test("a stream that was interrupted resumes after the last id that was received", async () => {
  const changes: RowChange[] = [];
  const { requests, fetch } = scriptedServer(
    ["retry: 1000\nid: 811\n\n", changeEventText("T1.1", 1, 812), changeEventText("T1.2", 2)],
    [changeEventText("T1.2", 2, 813)],
  );
  const live = newLiveUpdates(fetch, (batch) => changes.push(...batch));
  const stop = live.start();
  await waitUntil(() => requests.length === 3);
  await waitUntil(() => changes.length === 3);
  stop();
  expect(requests).toEqual(["/api/live", "/api/live?after=812", "/api/live?after=813"]);
  expect(changes.map(({ key }) => key)).toEqual(["T1.1", "T1.2", "T1.2"]);
});

test("changes that arrive while rows are fetched are returned with them", async () => {
  const { fetch } = scriptedServer(["id: 5\n\n", changeEventText("T1.1", 7, 6)]);
  const changes: RowChange[] = [];
  const live = newLiveUpdates(fetch, (batch) => changes.push(...batch));
  let arrive = (_: string) => {};
  const rows = live.fetchRows(() => new Promise<string>((resolve) => (arrive = resolve)));
  const stop = live.start();
  await waitUntil(() => changes.length === 1);
  arrive("rows");
  const { fetched, missed } = await rows;
  stop();
  expect(fetched).toBe("rows");
  expect(missed.map(({ sequence }) => sequence)).toEqual([7]);
});

test("no rows are fetched before the stream has a position", async () => {
  const live = newLiveUpdates(scriptedServer().fetch);
  let isFetched = false;
  void live.fetchRows(async () => {
    isFetched = true;
  });
  const stop = live.start();
  await Promise.resolve();
  stop();
  expect(isFetched).toBe(false);
});

test("a browser that is signed out does not retry the connection", async () => {
  let n = 0;
  const unauthorized = async () => {
    n += 1;
    return Response.json({ detail: "no token", hint: "jangdan link" }, { status: 401 });
  };
  const live = newLiveUpdates(unauthorized);
  const stop = live.start();
  await waitUntil(() => live.state.type === "signedOut");
  stop();
  expect(n).toBe(1);
  expect(live.state).toMatchObject({ error: { message: "no token", hint: "jangdan link" } });
});

test("a server that rejects the stream is busy and not offline, and the connection is retried", async () => {
  const answers = [
    async () => Response.json({ code: "too-many-subscribers", detail: "too many" }, { status: 503 }),
    async () => {
      throw new TypeError("Failed to fetch");
    },
  ];
  const states: string[] = [];
  const fetch = () => (answers.shift() ?? (() => new Promise<Response>(() => {})))();
  const live = newLiveUpdates(fetch);
  live.subscribe(() => states.push(live.state.type));
  const stop = live.start();
  await waitUntil(() => states.length === 1);
  expect(live.state).toMatchObject({ error: { code: "too-many-subscribers", message: "too many" } });
  live.retry();
  await waitUntil(() => states.length === 2);
  stop();
  expect(states).toEqual(["busy", "offline"]);
});
