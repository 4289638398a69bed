/** What people can wish of a run. */

import type { Accepted, Wish, WishBody } from "./generated";
import { part, postJson } from "./http";

const PERSON = "jangdan.person";

/** The name under which wishes of this browser are recorded. */
export const person = {
  get: (): string => localStorage.getItem(PERSON) ?? "you",
  set: (name: string): void => localStorage.setItem(PERSON, name.trim().slice(0, 100) || "you"),
};

export function wish(run: string, what: Wish): Promise<Accepted> {
  const body: WishBody = { person: person.get(), wish: what };
  return postJson(`/api/runs/${part(run)}/wishes`, body);
}
