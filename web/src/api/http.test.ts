import { afterEach, expect, test, vi } from "vitest";
import { ApiError, getPage, isOffline, postJson } from "./http";

type Answer = () => Promise<Response>;
const broken: Answer = async () => {
  throw new TypeError("Failed to fetch");
};
const brokenMidway: Answer = async () => {
  const body = new ReadableStream({ start: (line) => line.error(new TypeError("network error")) });
  return new Response(body, { status: 200 });
};
const good: Answer = async () => Response.json({ sequence: 7 });
const rejected: Answer = async () => Response.json({ code: "conflict", detail: "no" }, { status: 409 });

/** A server that gives these answers in order, and records the idempotency keys. */
function answering(...answers: Answer[]): string[] {
  const keys: string[] = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    keys.push(new Headers(init.headers).get("idempotency-key") ?? "");
    return (answers.shift() ?? broken)();
  });
  return keys;
}

afterEach(() => vi.unstubAllGlobals());

test.each([
  ["could not be opened", broken],
  ["broke in the middle of the answer", brokenMidway],
])("a command whose connection %s is sent once more, with the same key", async (_, first) => {
  const keys = answering(first, good);
  expect(await postJson("/api/x", {})).toEqual({ sequence: 7 });
  expect(keys).toEqual([keys[0], keys[0]]);
  expect(keys[0]).not.toBe("");
});

test("a command is sent at most twice, then the server counts as unreachable", async () => {
  const keys = answering(broken, brokenMidway, good);
  expect(isOffline(await postJson("/api/x", {}).catch((error: unknown) => error))).toBe(true);
  expect(keys).toHaveLength(2);
});

test("a rejected command is not sent again, and another command has another key", async () => {
  const keys = answering(rejected, good);
  expect(await postJson("/api/x", {}).catch((error: unknown) => error)).toBeInstanceOf(ApiError);
  expect(keys).toHaveLength(1);
  await postJson("/api/x", {});
  expect(keys[0]).not.toBe(keys[1]);
});

test.each([
  ['</api/runs?limit=2&before=r7>; rel="next"', "/api/runs?limit=2&before=r7"],
  ["", null],
])("a page with the link %j leads on to %s", async (link, next) => {
  answering(async () => Response.json([1, 2], { headers: { link } }));
  expect(await getPage("/api/runs?limit=2")).toEqual({ rows: [1, 2], next });
});
