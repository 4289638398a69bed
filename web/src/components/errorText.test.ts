import { expect, test } from "vitest";
import { ApiError, getJson } from "~/api/http";
import { toErrorText } from "./errorText";

const TRANSLATIONS: Record<string, string> = {
  "problem.wrong-task-state": "현재 작업 상태에서는 할 수 없습니다",
};
const t = (key: string, values?: Record<string, unknown>) =>
  TRANSLATIONS[key] ?? String(values?.["defaultValue"] ?? key);

test("a known problem has a title in the page's language and the server's details", () => {
  const error = new ApiError(409, "T1.1 has ended", "look at its state", [], "wrong-task-state");
  expect(toErrorText(error, t)).toEqual({
    title: "현재 작업 상태에서는 할 수 없습니다",
    details: ["T1.1 has ended", "look at its state"],
  });
});

test("a hint for programs is not shown", () => {
  const error = new ApiError(
    404,
    "there is no run 'r1'",
    "GET /api/openapi.json describes it",
    [],
    "unknown-run",
  );
  expect(toErrorText(error, t)).toEqual({ title: "there is no run 'r1'", details: [] });
});

test("a problem with an unknown code is shown as the server describes it", () => {
  const error = new ApiError(409, "the moon is full", "", [], "full-moon");
  expect(toErrorText(error, t)).toEqual({ title: "the moon is full", details: [] });
});

test("an unreachable server has another title than an error of the page", async () => {
  const unreachable = await getJson("http://127.0.0.1:1/").catch((error: unknown) => error);
  expect(toErrorText(unreachable, t).title).toBe("offline.title");
  expect(toErrorText(new TypeError("x is undefined"), t).title).toBe("page.error");
  expect(toErrorText(new Error("x is undefined"), t)).toEqual({
    title: "page.error",
    details: ["x is undefined"],
  });
});
