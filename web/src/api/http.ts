/** Requests to the server, and the errors that they end with. */

import type { Problem, ProblemDiagnostic } from "./generated";
import { parseVisible } from "./hiddenCharacters";

/** The server answered with an error: what is wrong, and what to do. */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly status: number,
    message: string,
    readonly hint: string,
    /** The open questions, if an answer did not say which one it is for. */
    readonly pending: string[] = [],
    /** The kind of the problem (`problem.CODE` is its title); empty if the answer is not a problem of the server. */
    readonly code = "",
    /** The errors of a plan, with their lines. */
    readonly diagnostics: ProblemDiagnostic[] = [],
  ) {
    super(message);
  }
}

/** The server did not answer at all. */
class ServerUnreachableError extends Error {
  override name = "ServerUnreachableError";
}

export function isUnreachableError(error: unknown): boolean {
  return error instanceof ServerUnreachableError;
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await fetchOrThrow(path, { headers: { accept: "application/json" }, signal });
  return parseVisible(await response.text());
}

/** A page of a list, and the address of the next one if there is one. */
export type ListPage<T> = { rows: T[]; next: string | null };

export async function getListPage<T>(path: string): Promise<ListPage<T>> {
  const response = await fetchOrThrow(path, { headers: { accept: "application/json" } });
  const next = /<([^>]+)>; *rel="next"/.exec(response.headers.get("link") ?? "")?.[1] ?? null;
  return { rows: parseVisible(await response.text()), next };
}

export async function getText(path: string, signal?: AbortSignal): Promise<string> {
  return (await fetchOrThrow(path, { signal })).text();
}

/**
 * Sends a command, and once more if the connection broke: it may or may not have arrived. The server recognizes it by its
 * idempotency key and executes it once.
 */
export async function postJson<T>(path: string, body: unknown): Promise<T> {
  const headers = {
    "content-type": "application/json",
    "idempotency-key": crypto.randomUUID(),
  };
  const send = async () => {
    const response = await fetchOrThrow(path, { method: "POST", headers, body: JSON.stringify(body) });
    return response.text().catch(rethrowAsUnreachable);
  };
  const text = await send().catch((error: unknown) => {
    if (isUnreachableError(error)) return send();
    throw error;
  });
  return parseVisible(text === "" ? "null" : text);
}

async function fetchOrThrow(path: string, init: RequestInit): Promise<Response> {
  const headers = { "accept-language": pageLanguage(), ...init.headers };
  const response = await fetch(path, { credentials: "same-origin", ...init, headers }).catch(
    rethrowAsUnreachable,
  );
  if (!response.ok) throw toApiError(response.status, await response.text().catch(() => ""));
  return response;
}

/** Browsers report a broken connection as a `TypeError`. */
function rethrowAsUnreachable(error: unknown): never {
  throw error instanceof TypeError ? new ServerUnreachableError(error.message) : error;
}

/** Reads a problem (RFC 9457), or whatever else came in place of an answer. */
export function toApiError(status: number, text: string): ApiError {
  const fallback = new ApiError(status, text.slice(0, 300) || `HTTP ${status}`, "");
  if (!text.startsWith("{")) return fallback;
  try {
    // A proxy between the page and the server may have answered.
    const { code, detail, title, hint, pending, diagnostics }: Partial<Problem> = JSON.parse(text);
    const message = String(detail ?? title ?? text.slice(0, 300));
    return new ApiError(status, message, String(hint ?? ""), pending, String(code ?? ""), diagnostics);
  } catch {
    return fallback;
  }
}

/** The language of the page, which may differ from that of the browser. */
export function pageLanguage(): string {
  return globalThis.document?.documentElement.lang || "en";
}

/** Encodes one segment of a path. */
export const encodePathSegment = encodeURIComponent;
