import { expect, test } from "vitest";
import { isPlace, movedPlace, PLACES } from "./places";

test.each(["inbox", "list", "board", "canvas", "schedule", "timeline", "chat"])(
  "the old view %s leads to a place",
  (name) => {
    const moved = movedPlace(name);
    expect(moved && isPlace(moved.place)).toBe(true);
  },
);

test("a place has not moved, and neither have names that no version had", () => {
  for (const name of [...PLACES, "toString", "nowhere"]) expect(movedPlace(name), name).toBeUndefined();
});
