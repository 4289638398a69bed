import { afterEach, expect, test, vi } from "vitest";
import { getPage, isOffline, postJson, Refusal } from "./http";

type Answer = () => Promise<Response>;
const broken: Answer = async () => {
  throw new TypeError("Failed to fetch");
};
const brokenOff: Answer = async () => {
  const body = new ReadableStream({ start: (line) => line.error(new TypeError("network error")) });
  return new Response(body, { status: 200 });
};
const good: Answer = async () => Response.json({ sequence: 7 });
const refused: Answer = async () => Response.json({ code: "conflict", detail: "no" }, { status: 409 });

/** A server that gives these answers, one after the other, and remembers the keys. */
function played(...answers: Answer[]): string[] {
  const keys: string[] = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    keys.push(new Headers(init.headers).get("idempotency-key") ?? "");
    return (answers.shift() ?? broken)();
  });
  return keys;
}

afterEach(() => vi.unstubAllGlobals());

test.each([
  ["did not come about", broken],
  ["broke in the middle of the answer", brokenOff],
])("a command whose connection %s is sent once more, with the same key", async (_, first) => {
  const keys = played(first, good);
  expect(await postJson("/api/x", {})).toEqual({ sequence: 7 });
  expect(keys).toEqual([keys[0], keys[0]]);
  expect(keys[0]).not.toBe("");
});

test("not more often, and then the server was not reached", async () => {
  const keys = played(broken, brokenOff, good);
  expect(isOffline(await postJson("/api/x", {}).catch((error: unknown) => error))).toBe(true);
  expect(keys).toHaveLength(2);
});

test("what the server refuses is not sent again, and another command has another key", async () => {
  const keys = played(refused, good);
  expect(await postJson("/api/x", {}).catch((error: unknown) => error)).toBeInstanceOf(Refusal);
  expect(keys).toHaveLength(1);
  await postJson("/api/x", {});
  expect(keys[0]).not.toBe(keys[1]);
});

test.each([
  ['</api/runs?limit=2&before=r7>; rel="next"', "/api/runs?limit=2&before=r7"],
  ["", null],
])("a page with the link %j leads on to %s", async (link, next) => {
  played(async () => Response.json([1, 2], { headers: { link } }));
  expect(await getPage("/api/runs?limit=2")).toEqual({ rows: [1, 2], next });
});
