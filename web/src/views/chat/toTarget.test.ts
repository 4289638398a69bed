import { expect, test } from "vitest";
import { toTarget } from "./toTarget";

const pending = (...ids: string[]) => ids.map((id) => ({ id }));
const begun = { before: null, wasEmpty: true, isEmpty: false };
const goesOn = { wasEmpty: false, isEmpty: false };

test.each([
  ["the one that waits when it is begun", { ...begun, pending: pending("a") }, "a"],
  ["none where several wait: the list is shown", { ...begun, pending: pending("a", "b") }, null],
  ["none where none waits", { ...begun, pending: [] }, null],
  ["the same when more come", { ...goesOn, before: "a", pending: pending("a", "b") }, "a"],
  [
    "the same when it is settled, also where another waits then",
    { ...goesOn, before: "a", pending: pending("b") },
    "a",
  ],
  ["none that came only after it was begun", { ...goesOn, before: null, pending: pending("b") }, null],
  [
    "none once all words are gone",
    { before: "a", wasEmpty: false, isEmpty: true, pending: pending("a") },
    null,
  ],
])("words answer %s", (_, writing, target) => {
  expect(toTarget(writing)).toBe(target);
});
