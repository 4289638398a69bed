/** Asks the server, and says in words what went wrong. */

import type { PlanMistake, Problem } from "./generated";

/** What can't be done: what is wrong, and what to do. */
export class Refusal extends Error {
  override name = "Refusal";
  constructor(
    readonly status: number,
    message: string,
    readonly hint: string,
    /** The questions that may have been meant, where several wait. */
    readonly pending: string[] = [],
    /** What kind of problem it is; empty where no problem came. */
    readonly code = "",
    /** What is wrong with a plan, each mistake in its place. */
    readonly mistakes: PlanMistake[] = [],
  ) {
    super(message);
  }
}

/** The server was not reached at all. */
class Unreached extends Error {
  override name = "Unreached";
}

export function isOffline(error: unknown): boolean {
  return error instanceof Unreached;
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await asked(path, { headers: { accept: "application/json" }, signal });
  return response.json();
}

/** A page of a list, and the address of the next one. */
export type Page<T> = { rows: T[]; next: string | null };

export async function getPage<T>(path: string): Promise<Page<T>> {
  const response = await asked(path, { headers: { accept: "application/json" } });
  const next = /<([^>]+)>; *rel="next"/.exec(response.headers.get("link") ?? "")?.[1] ?? null;
  return { rows: await response.json(), next };
}

export async function getText(path: string, signal?: AbortSignal): Promise<string> {
  return (await asked(path, { signal })).text();
}

/**
 * Sends a command. Where the connection broke nobody knows whether it arrived, so it is sent once more; the server knows it
 * again by its key, and does it once.
 */
export async function postJson<T>(path: string, body: unknown): Promise<T> {
  const headers = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
  const send = async () => {
    const response = await asked(path, { method: "POST", headers, body: JSON.stringify(body) });
    return response.text().catch(unreached);
  };
  const text = await send().catch((error: unknown) => {
    if (isOffline(error)) return send();
    throw error;
  });
  return JSON.parse(text === "" ? "null" : text);
}

async function asked(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, { credentials: "same-origin", ...init }).catch(unreached);
  if (!response.ok) throw toRefusal(response.status, await response.text().catch(() => ""));
  return response;
}

/** A browser says that a connection broke with the type that mistakes of the page have, too. */
function unreached(error: unknown): never {
  throw error instanceof TypeError ? new Unreached(error.message) : error;
}

/** Reads a problem (RFC 9457), or whatever else came in place of an answer. */
export function toRefusal(status: number, text: string): Refusal {
  const fallback = new Refusal(status, text.slice(0, 300) || `HTTP ${status}`, "");
  if (!text.startsWith("{")) return fallback;
  try {
    // A proxy between the page and the server may have answered.
    const { code, detail, title, hint, pending, mistakes }: Partial<Problem> = JSON.parse(text);
    const message = String(detail ?? title ?? text.slice(0, 300));
    return new Refusal(status, message, String(hint ?? ""), pending, String(code ?? ""), mistakes);
  } catch {
    return fallback;
  }
}

/** A part of a path. */
export const part = encodeURIComponent;
