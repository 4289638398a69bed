/** A real server with a real run of played agents, and a browser that looks at it. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import type { RowOf } from "../src/api/generated.ts";

const PROGRAM = process.env["JANGDAN_BIN"] ?? "";
/** A built page that is shown in place of the one within the program, so that only it need be built anew. */
const PAGE = process.env["JANGDAN_PAGE"];
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export type World = Place & {
  run: string;
  /** All rows of a kind, as the server has them. */
  rows: <K extends keyof RowOf>(kind: K) => Promise<RowOf[K][]>;
};

/** A server, and a browser that may look at it. */
export type Place = {
  browser: Browser;
  origin: string;
  ask: <T>(path: string) => Promise<T>;
  send: (path: string, body: object) => Promise<Response>;
  /** What a command prints there. */
  command: (words: string[]) => string;
  /** A browser that has opened the link. */
  visitor: (options?: Parameters<Browser["newContext"]>[0]) => Promise<BrowserContext>;
  killServer: () => Promise<void>;
  startServer: () => Promise<void>;
  end: () => Promise<void>;
};

/** Agents of one's own: what each plays, in which phase, and what its preset has beside that. Who leads has no task. */
export type Cast = Record<string, Part>;
type Part = { preset: object; words?: string[]; script: string; phase?: number; role?: "orchestrator" };

/** How a run of one's own differs from others: its settings, whether each task has a worktree, and how many tasks wait. */
export type Stage = { settings?: object; hasWorktrees?: boolean; nLater?: number };

/** The phase of what waits until all else is done. */
export const LATER = 9;

/** One who is started and spoken with as Claude Code is. */
export const LIKE_CLAUDE = {
  preset: { extends: "claude" },
  words: ["--permission-prompt-tool", "stdio", "--include-partial-messages"],
};

/** One who asks what somebody wants, and is done with the answer. */
export const asks = (question: string): Cast[string] => ({
  ...LIKE_CLAUDE,
  script: `
    voice = "claude"
    steps = [
      { wait = "" },
      { question = { text = "${question}", options = ["tea", "milk"] } },
      { say = "DONE:{task}\\n" },
    ]`,
});

export async function startWorld(cast?: Cast, stage: Stage = {}): Promise<World> {
  const folder = newFolder();
  const kept = join(folder, "demo");
  const env = { ...process.env, JANGDAN_DATA: join(kept, "data"), HOME: folder, USER: "ana", TERM: "xterm" };
  const place = await placeOf(folder, env, cast ? serve(env) : startDemo(kept, env));
  if (cast) {
    const answer = await place.send("/api/runs", newRun(cast, join(folder, "project"), stage));
    if (!answer.ok) throw new Error(await answer.text());
  }
  const run = await until(async () => (await place.ask<{ id: string }[]>("/api/runs")).at(-1)?.id, "the run");
  return {
    ...place,
    run,
    rows: async (kind) => {
      const answer = await place.ask<{ rows: Record<string, never[]> }>(`/api/runs/${run}/rows?kind=${kind}`);
      return answer.rows[kind] ?? [];
    },
  };
}

/** Only where it has a terminal does the demo wait for a person's answers. */
function startDemo(kept: string, env: NodeJS.ProcessEnv): ChildProcess {
  const words = ["-qfec", `"${PROGRAM}" demo --keep "${kept}" --lang en --speed 4`, "/dev/null"];
  return spawn("script", words, { env, stdio: ["pipe", "ignore", "ignore"], detached: true });
}

/** A run in which each of the cast has one task, all at once: T1.1 for the first of phase 1, and so on. */
export function newRun(
  cast: Cast,
  project: string,
  { settings, hasWorktrees = false, nLater = 0 }: Stage,
): object {
  mkdirSync(project, { recursive: true });
  const names = Object.keys(cast);
  const workers = names.filter((name) => cast[name]?.role === undefined);
  const phases = [...new Set(workers.map((name) => cast[name]?.phase ?? 1))].sort();
  const tasks = phases.flatMap((phase) =>
    workers
      .filter((name) => (cast[name]?.phase ?? 1) === phase)
      .map((agent, n) => ({ id: `T${phase}.${n + 1}`, phase, title: `The part of ${agent}`, agent })),
  );
  const presets = Object.entries(cast).map(([name, { preset, words = [], script }]) => {
    const path = join(project, `${name}.toml`);
    writeFileSync(path, script);
    return [name, { ...preset, command: PROGRAM, arguments: ["play", path, ...words] }] as const;
  });
  return {
    project: "stage",
    person: "ana",
    work: {
      title: "A play",
      phases: [
        ...phases.map((number) => ({ number, name: "Play", after: [] as number[] })),
        ...(nLater > 0 ? [{ number: LATER, name: "Later", after: phases }] : []),
      ],
      tasks: [
        ...tasks,
        ...Array.from({ length: nLater }, (_, n) => ({
          id: `T${LATER}.${n + 1}`,
          phase: LATER,
          title: `Something for later ${n + 1}`,
          agent: workers[0],
        })),
      ],
    },
    settings: { slots: names.length, gateApproval: "automatic", ...settings },
    team: names.map((name) => ({ name, role: cast[name]?.role ?? "worker" })),
    outfit: {
      project,
      isolation: hasWorktrees ? { type: "worktrees", base: begin(project) } : { type: "inPlace" },
      agents: Object.fromEntries(names.map((name) => [name, name])),
      presets: Object.fromEntries(presets),
    },
  };
}

/** A server in the folder of a project that never had a run. */
export async function startProject(files: Record<string, string>): Promise<Place> {
  const folder = newFolder();
  const project = join(folder, "project");
  const env = { ...process.env, JANGDAN_DATA: join(folder, "data"), HOME: folder, USER: "ana" };
  mkdirSync(project);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  begin(project);
  return placeOf(folder, env, serve(env, project));
}

/** Makes a folder a repository with what is in it, and names its first commit. */
function begin(project: string): string {
  const env = { ...process.env, HOME: project };
  const git = (...words: string[]) =>
    execFileSync("git", words, { cwd: project, env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  git("init", "--initial-branch", "main");
  git("add", "--all");
  git("-c", "user.name=Ana", "-c", "user.email=ana@example.invalid", "commit", "--message", "begin");
  return git("rev-parse", "HEAD").trim();
}

function serve(env: NodeJS.ProcessEnv, cwd?: string): ChildProcess {
  return spawn(PROGRAM, ["serve"], { cwd, env, stdio: "ignore", detached: true });
}

function newFolder(): string {
  if (!existsSync(PROGRAM)) throw new Error("JANGDAN_BIN names no program: `cargo xtask web` sets it");
  return mkdtempSync(join(tmpdir(), "jangdan-web-"));
}

async function placeOf(folder: string, env: NodeJS.ProcessEnv, first: ChildProcess): Promise<Place> {
  let server = first;
  const link = await until(() => printed(env, ["link"]).match(/http:\S+/)?.[0], "the link");
  const { origin, searchParams } = new URL(link);
  const headers = { authorization: `Bearer ${searchParams.get("token")}` };
  const ask = async <T>(path: string): Promise<T> => (await fetch(origin + path, { headers })).json();
  const send = (path: string, body: object) =>
    fetch(origin + path, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-background-networking",
      // A page that came out of a folder is a stranger to the server's address.
      ...(PAGE ? ["--disable-features=LocalNetworkAccessChecks"] : []),
    ],
  });
  return {
    browser,
    origin,
    ask,
    send,
    command: (words) => printed(env, words),
    visitor: async (options) => {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        locale: "en",
        ...options,
      });
      const page = await context.newPage();
      await page.goto(link);
      await page.close();
      if (PAGE) await showBuilt(context, PAGE);
      return context;
    },
    killServer: () => ended(server, "SIGKILL"),
    startServer: async () => {
      server = serve(env);
      await until(() => fetch(`${origin}/api/status`, { headers }).then(({ ok }) => ok), "the server");
    },
    end: async () => {
      await browser.close();
      await send("/api/stop", { agents: "end" }).catch(() => {});
      await ended(server, "SIGTERM");
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/** Answers what is asked for beside the API from a folder, with the headers of the server. */
async function showBuilt(context: BrowserContext, folder: string): Promise<void> {
  await context.route(
    (url) => !url.pathname.startsWith("/api/"),
    async (route) => {
      const file = join(folder, new URL(route.request().url()).pathname);
      const path = extname(file) !== "" && existsSync(file) ? file : join(folder, "index.html");
      const answer = await route.fetch({ url: new URL("/", route.request().url()).href }).catch(() => null);
      if (!answer) return route.abort();
      const { "content-security-policy": policy = "" } = answer.headers();
      return route.fulfill({ path, headers: { "content-security-policy": policy } });
    },
  );
}

function printed(env: NodeJS.ProcessEnv, words: string[]): string {
  try {
    return execFileSync(PROGRAM, words, { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return "";
  }
}

/** Ends a server, and nothing that it started: the agents outlive it, as they should. */
async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const over = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  for (const pid of [...besideServer(child, child.pid), child.pid]) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended by itself meanwhile.
    }
  }
  await over;
}

/** The demo is the server, and runs below `script`. */
function besideServer({ spawnfile }: ChildProcess, pid: number): number[] {
  if (spawnfile !== "script") return [];
  try {
    return execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })
      .split("\n")
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}

const PATIENCE_MS = 30_000;

/** Looks again and again until something is there. */
export async function until<T>(look: () => T | Promise<T>, what: string): Promise<NonNullable<T>> {
  const start = Date.now();
  for (;;) {
    const found = await Promise.resolve()
      .then(look)
      .catch(() => undefined);
    if (found) return found as NonNullable<T>;
    if (Date.now() - start > PATIENCE_MS) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
