// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from "vitest";
import type { RequestRow } from "~/api/generated";
import { click, enterText, renderForTest, visibleText, waitFor } from "~/components/renderForTest";
import { isTooShortToMask, RequestForm, toProvidedResource } from "./RequestForm";

const bodies: unknown[] = [];

beforeEach(() => {
  bodies.length = 0;
  vi.stubGlobal("fetch", async (path: string, init: RequestInit = {}) => {
    if (init.body) bodies.push(JSON.parse(String(init.body)));
    return Response.json(path === "/api/status" ? { person: "ana" } : { sequence: 7 });
  });
});

const KEY: RequestRow = {
  id: "d_1",
  session: "s_1",
  agent: "ada",
  task: "T1.1",
  type: "api_key",
  name: "API_KEY",
  description: "for the shop",
  required: true,
  default: null,
  status: "asked",
  provided: null,
  defaultUsed: false,
  failure: "no value is stored for API_KEY",
  refusalReason: null,
  delivered: false,
  resolvedBy: null,
  blocks: { timeMs: 0, tasks: 0 },
  askedAt: 0,
  resolvedAt: null,
  deliveredAt: null,
};

test("a value is entered in a masked field, sent once, and not kept", async () => {
  const box = await renderForTest(<RequestForm run="r1" request={KEY} actions={["provide", "refuse"]} />);
  expect(visibleText(box)).toContain("no value is stored for API_KEY");
  const field = box.querySelector<HTMLInputElement>("input[type=password]");
  await enterText(field, "sk-1234");
  expect(visibleText(box)).toContain("are not masked");
  await enterText(field, "sk-12345678");
  expect(visibleText(box)).not.toContain("are not masked");
  await click(box.querySelector("[type=submit]"));
  const provided = { type: "environment", names: ["API_KEY"] };
  const command = { provide: { request: "d_1", provided } };
  await waitFor(() =>
    expect(bodies).toEqual([{ person: "ana", command, values: { API_KEY: "sk-12345678" } }]),
  );
  await waitFor(() => expect(box.querySelector<HTMLInputElement>("input[type=password]")?.value).toBe(""));
  expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.toContain("sk-12345678");
});

test("without a value the stored one is used", async () => {
  const box = await renderForTest(<RequestForm run="r1" request={KEY} actions={["provide"]} />);
  await click(box.querySelector("[type=submit]"));
  await waitFor(() => expect(bodies).toHaveLength(1));
  expect(bodies[0]).not.toHaveProperty("values");
});

test("a variable that is not secret is shown while it is typed", async () => {
  const request: RequestRow = { ...KEY, type: "env_variable", name: "REGION", failure: undefined };
  const box = await renderForTest(<RequestForm run="r1" request={request} actions={["provide"]} />);
  await click(box.querySelector("input[type=checkbox]"));
  await enterText(box.querySelector<HTMLInputElement>("input[type=text]"), "eu");
  expect(visibleText(box)).not.toContain("are not masked");
  await click(box.querySelector("[type=submit]"));
  await waitFor(() => expect(bodies).toHaveLength(1));
  expect(bodies[0]).toMatchObject({ values: { REGION: "eu" }, notSecret: ["REGION"] });
});

test("short values are named as not masked", () => {
  expect(isTooShortToMask("3000")).toBe(true);
  expect(isTooShortToMask("12345678")).toBe(false);
  expect(isTooShortToMask("비밀번")).toBe(false);
  expect(isTooShortToMask("")).toBe(false);
  expect(isTooShortToMask(undefined)).toBe(false);
});

test("a request is provided by its kind", () => {
  const service = { type: "service", name: "postgres" } as const;
  const provided = { type: "environment", names: ["DB_HOST", "DB_PORT"] };
  expect(toProvidedResource(service, "DB_HOST, DB_PORT")).toEqual(provided);
  const file = { type: "file", name: "logo.svg" } as const;
  expect(toProvidedResource(file, "/a.svg")).toEqual({ type: "file", path: "/a.svg", secret: false });
});
