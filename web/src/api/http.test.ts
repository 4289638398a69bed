import { afterEach, expect, test, vi } from "vitest";
import { ApiError, getListPage, isUnreachableError, postJson } from "./http";

type Responder = () => Promise<Response>;
const failToConnect: Responder = async () => {
  throw new TypeError("Failed to fetch");
};
const breakMidResponse: Responder = async () => {
  const body = new ReadableStream({ start: (line) => line.error(new TypeError("network error")) });
  return new Response(body, { status: 200 });
};
const respondOk: Responder = async () => Response.json({ sequence: 7 });
const respondConflict: Responder = async () =>
  Response.json({ code: "conflict", detail: "no" }, { status: 409 });

/** A server that gives these answers in order, and records the idempotency keys. */
function stubFetch(...answers: Responder[]): string[] {
  const keys: string[] = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    keys.push(new Headers(init.headers).get("idempotency-key") ?? "");
    return (answers.shift() ?? failToConnect)();
  });
  return keys;
}

afterEach(() => vi.unstubAllGlobals());

test.each([
  ["could not be opened", failToConnect],
  ["broke in the middle of the answer", breakMidResponse],
])("a command whose connection %s is sent once more, with the same key", async (_, first) => {
  const keys = stubFetch(first, respondOk);
  expect(await postJson("/api/x", {})).toEqual({ sequence: 7 });
  expect(keys).toEqual([keys[0], keys[0]]);
  expect(keys[0]).not.toBe("");
});

test("a command is sent at most twice, then the server counts as unreachable", async () => {
  const keys = stubFetch(failToConnect, breakMidResponse, respondOk);
  expect(isUnreachableError(await postJson("/api/x", {}).catch((error: unknown) => error))).toBe(true);
  expect(keys).toHaveLength(2);
});

test("a rejected command is not sent again, and another command has another key", async () => {
  const keys = stubFetch(respondConflict, respondOk);
  expect(await postJson("/api/x", {}).catch((error: unknown) => error)).toBeInstanceOf(ApiError);
  expect(keys).toHaveLength(1);
  await postJson("/api/x", {});
  expect(keys[0]).not.toBe(keys[1]);
});

test.each([
  ['</api/runs?limit=2&before=r7>; rel="next"', "/api/runs?limit=2&before=r7"],
  ["", null],
])("the next page after one with the link header %j is %s", async (link, next) => {
  stubFetch(async () => Response.json([1, 2], { headers: { link } }));
  expect(await getListPage("/api/runs?limit=2")).toEqual({ rows: [1, 2], next });
});
