import { expect, test } from "vitest";
import { EventStream } from "./eventStream";
import type { Changed } from "./generated";
import { Live } from "./live";

/** A server that answers each connection with its next script, and remembers how it was asked. */
function played(...scripts: string[][]) {
  const asked: string[] = [];
  const answer = async (url: unknown) => {
    asked.push(String(url));
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
  return { asked, fetch: answer as typeof fetch };
}

const event = (key: string, sequence: number, id?: number) =>
  `event: task.changed\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify({ run: "r1", sequence, kind: "task", key, row: {} })}\n\n`;

/** A tab with a stream of its own. */
function newLive(fetch: unknown, onChanges: (changes: Changed[]) => void = () => {}): Live {
  const connect = (onPort: (port: MessagePort) => void) => {
    const { port1, port2 } = new MessageChannel();
    new EventStream(fetch as typeof globalThis.fetch).connect(port1);
    onPort(port2);
  };
  return new Live({ connect, onChanges });
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
}

test("a stream that broke off is taken up behind the last id that was heard", async () => {
  const changes: Changed[] = [];
  const { asked, fetch } = played(
    ["retry: 1000\nid: 811\n\n", event("T1.1", 1, 812), event("T1.2", 2)],
    [event("T1.2", 2, 813)],
  );
  const live = newLive(fetch, (batch) => changes.push(...batch));
  const stop = live.start();
  await until(() => asked.length === 3);
  await until(() => changes.length === 3);
  stop();
  expect(asked).toEqual(["/api/live", "/api/live?after=812", "/api/live?after=813"]);
  expect(changes.map(({ key }) => key)).toEqual(["T1.1", "T1.2", "T1.2"]);
});

test("changes that arrive while rows are fetched come with them", async () => {
  const changes: Changed[] = [];
  const live = newLive(played(["id: 5\n\n", event("T1.1", 7, 6)]).fetch, (batch) => changes.push(...batch));
  let arrive = (_: string) => {};
  const rows = live.fetchRows(() => new Promise<string>((resolve) => (arrive = resolve)));
  const stop = live.start();
  await until(() => changes.length === 1);
  arrive("rows");
  const { fetched, missed } = await rows;
  stop();
  expect(fetched).toBe("rows");
  expect(missed.map(({ sequence }) => sequence)).toEqual([7]);
});

test("no rows are fetched before the stream stands", async () => {
  const live = newLive(played().fetch);
  let isFetched = false;
  void live.fetchRows(async () => {
    isFetched = true;
  });
  const stop = live.start();
  await Promise.resolve();
  stop();
  expect(isFetched).toBe(false);
});

test("whoever may not look in is told, and not asked again and again", async () => {
  let n = 0;
  const refused = async () => {
    n += 1;
    return Response.json({ detail: "no token", hint: "jangdan link" }, { status: 401 });
  };
  const live = newLive(refused);
  const stop = live.start();
  await until(() => live.state.type === "refused");
  stop();
  expect(n).toBe(1);
  expect(live.state).toMatchObject({ refusal: { message: "no token", hint: "jangdan link" } });
});

test("a server that has no room is told apart from one that is away, and asked again", async () => {
  const answers = [
    async () => Response.json({ code: "too-many-subscribers", detail: "too many" }, { status: 503 }),
    async () => {
      throw new TypeError("Failed to fetch");
    },
  ];
  const states: string[] = [];
  const fetch = () => (answers.shift() ?? (() => new Promise<Response>(() => {})))();
  const live = newLive(fetch);
  live.subscribe(() => states.push(live.state.type));
  const stop = live.start();
  await until(() => states.length === 1);
  expect(live.state).toMatchObject({ refusal: { code: "too-many-subscribers", message: "too many" } });
  live.retry();
  await until(() => states.length === 2);
  stop();
  expect(states).toEqual(["busy", "offline"]);
});
