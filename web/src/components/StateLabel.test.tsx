// @vitest-environment happy-dom
import { expect, test } from "vitest";
import type { TaskRow } from "~/api/generated";
import { renderForTest, visibleText } from "./renderForTest";
import { TaskStateLabel } from "./StateLabel";

type LabelledTask = Pick<TaskRow, "state" | "blocked" | "marks">;
const done = (marks: TaskRow["marks"]): LabelledTask => ({ state: "done", blocked: [], marks });
const UNPROVED: TaskRow["marks"] = ["unchecked", "noChanges"];

test.each([
  ["en", "Done· unchecked · no changes"],
  ["ko", "완료· 검증 없음 · 변경 없음"],
] as const)("a named state says its marks in %s", async (language, expected) => {
  const label = await renderForTest(<TaskStateLabel task={done(UNPROVED)} named />, language);
  expect(visibleText(label)).toBe(expected);
});

test("a state without its name shows that there are marks, and says them in its tooltip and to screen readers", async () => {
  const label = await renderForTest(<TaskStateLabel task={done(UNPROVED)} />);
  expect(label.querySelector("[data-marks]")).not.toBeNull();
  expect(label.querySelector("[title]")?.getAttribute("title")).toBe("Done · unchecked · no changes");
  expect(label.textContent).toContain("unchecked · no changes");
});

test("a checked task has no marks", async () => {
  const label = await renderForTest(<TaskStateLabel task={done([])} />);
  expect(label.querySelector("[data-marks]")).toBeNull();
});
