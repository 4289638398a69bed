/** What people can wish of a run, and under which name. */

import { cache, statusQuery } from "./client";
import type { Accepted, Command, WishBody } from "./generated";
import { part, postJson } from "./http";

/** The name under which wishes are recorded: that of the person at the machine where the server is. */
export async function personName(): Promise<string> {
  return (await cache.ensureQueryData(statusQuery)).person;
}

export async function wish(run: string, what: Command): Promise<Accepted> {
  const body: WishBody = { person: await personName(), wish: what };
  return postJson(`/api/runs/${part(run)}/wishes`, body);
}
