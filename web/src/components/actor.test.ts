import { expect, test } from "vitest";
import { personNameOfActor } from "./actor";

test("only an actor that is a person has a name", () => {
  expect([personNameOfActor("person:ana"), personNameOfActor("clock"), personNameOfActor(null)]).toEqual([
    "ana",
    null,
    null,
  ]);
});
