import { expect, test } from "vitest";
import { getJson, Refusal } from "~/api/http";
import { toWrong } from "./problem";

const WORDS: Record<string, string> = { "problem.refused": "지금은 할 수 없습니다" };
const t = (key: string, values?: Record<string, unknown>) =>
  WORDS[key] ?? String(values?.["defaultValue"] ?? key);

test("a problem that is known has a title in the page's language, and the server's details", () => {
  const error = new Refusal(409, "T1.1 is over", "look at how it stands", [], "refused");
  expect(toWrong(error, t)).toEqual({
    title: "지금은 할 수 없습니다",
    details: ["T1.1 is over", "look at how it stands"],
  });
});

test("a hint for programs is none for people", () => {
  const error = new Refusal(404, "there is no run 'r1'", "GET /api/runs lists all", [], "unknown-run");
  expect(toWrong(error, t)).toEqual({ title: "there is no run 'r1'", details: [] });
});

test("what a newer server calls otherwise is said as it came", () => {
  const error = new Refusal(409, "the moon is full", "", [], "full-moon");
  expect(toWrong(error, t)).toEqual({ title: "the moon is full", details: [] });
});

test("a server that is not reached is not taken for a page that broke", async () => {
  const unreached = await getJson("http://127.0.0.1:1/").catch((error: unknown) => error);
  expect(toWrong(unreached, t).title).toBe("offline.title");
  expect(toWrong(new TypeError("x is undefined"), t).title).toBe("said.broken");
  expect(toWrong(new Error("x is undefined"), t)).toEqual({
    title: "said.broken",
    details: ["x is undefined"],
  });
});
