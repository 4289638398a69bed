import { expect, test } from "vitest";
import { actorName } from "./actor";

test("people have names", () => {
  expect([actorName("person:ana"), actorName("clock"), actorName(null)]).toEqual(["ana", null, null]);
});
