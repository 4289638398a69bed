import { expect, test } from "vitest";
import { actorName } from "./actor";

test("only a person has a name", () => {
  expect([actorName("person:ana"), actorName("clock"), actorName(null)]).toEqual(["ana", null, null]);
});
