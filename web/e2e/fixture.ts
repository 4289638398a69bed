/** A real server with a run of scripted agents, and a browser. */

import { type ChildProcess, execFileSync, type StdioOptions, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import type { RowOf } from "../src/api/generated.ts";

const PROGRAM = process.env["JANGDAN_BIN"] ?? "";
/** A folder with a built page that replaces the one in the program, so that the program need not be built again. */
const PAGE = process.env["JANGDAN_PAGE"];
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export type RunFixture = ServerFixture & {
  run: string;
  rows: <K extends keyof RowOf>(kind: K) => Promise<RowOf[K][]>;
};

export type ServerFixture = {
  browser: Browser;
  origin: string;
  get: <T>(path: string) => Promise<T>;
  post: (path: string, body: object) => Promise<Response>;
  /** Runs a command with the same data directory, and returns its output. */
  runCommand: (args: string[]) => string;
  /** A browser context that is signed in. */
  newContext: (options?: Parameters<Browser["newContext"]>[0]) => Promise<BrowserContext>;
  killServer: () => Promise<void>;
  startServer: () => Promise<void>;
  stop: () => Promise<void>;
};

/** Scripted agents by name. Each has one task in its phase, except the orchestrator. */
export type AgentScripts = Record<string, AgentScript>;
type AgentScript = {
  preset: object;
  args?: string[];
  script: string;
  phase?: number;
  role?: "orchestrator";
};

/** `nLater` tasks wait until all others are done. */
export type RunOptions = { settings?: object; hasWorktrees?: boolean; nLater?: number };

/** The phase of the later tasks. */
export const LATER_PHASE = 9;

/** An agent that is started like Claude Code and speaks its protocol. */
export const CLAUDE_AGENT = {
  preset: { extends: "claude" },
  args: ["--permission-prompt-tool", "stdio", "--include-partial-messages"],
};

/** An agent that asks a question, and is done with the answer. */
export const agentThatAsks = (question: string): AgentScript => ({
  ...CLAUDE_AGENT,
  script: `
    voice = "claude"
    steps = [
      { wait = "" },
      { question = { text = "${question}", options = ["tea", "milk"] } },
      { say = "DONE:{task}:it is there\\n" },
    ]`,
});

/** Starts a run with these agents, or the demo. */
export async function startRunFixture(agents?: AgentScripts, options: RunOptions = {}): Promise<RunFixture> {
  const folder = makeTemporaryFolder();
  const demo = join(folder, "demo");
  const env = { ...process.env, JANGDAN_DATA: join(demo, "data"), HOME: folder, USER: "ana", TERM: "xterm" };
  const server = await toServerFixture(folder, env, agents ? spawnServer(env) : startDemo(demo, env));
  if (agents) {
    const answer = await server.post("/api/runs", newRunRequest(agents, join(folder, "project"), options));
    if (!answer.ok) throw new Error(await answer.text());
  }
  const run = await waitUntil(
    async () => (await server.get<{ id: string }[]>("/api/runs")).at(-1)?.id,
    "the run",
  );
  return {
    ...server,
    run,
    rows: async (kind) => {
      const answer = await server.get<{ rows: Record<string, never[]> }>(
        `/api/runs/${run}/rows?kind=${kind}`,
      );
      return answer.rows[kind] ?? [];
    },
  };
}

/** The demo waits for answers only if it has a terminal, which `script` provides. */
function startDemo(folder: string, env: NodeJS.ProcessEnv): ChildProcess {
  const args = ["-qfec", `"${PROGRAM}" demo --keep "${folder}" --lang en --speed 4`, "/dev/null"];
  return spawn("script", args, { env, stdio: ["pipe", "ignore", "ignore"], detached: true });
}

/** A run in which each agent has one task, all in parallel: T1.1 is the task of the first agent of phase 1. */
export function newRunRequest(
  agents: AgentScripts,
  project: string,
  { settings, hasWorktrees = false, nLater = 0 }: RunOptions,
): object {
  mkdirSync(project, { recursive: true });
  const names = Object.keys(agents);
  const workers = names.filter((name) => agents[name]?.role === undefined);
  const phases = [...new Set(workers.map((name) => agents[name]?.phase ?? 1))].sort();
  const tasks = phases.flatMap((phase) =>
    workers
      .filter((name) => (agents[name]?.phase ?? 1) === phase)
      .map((agent, n) => ({ id: `T${phase}.${n + 1}`, phase, title: `Task of ${agent}`, agent })),
  );
  const presets = Object.entries(agents).map(([name, { preset, args = [], script }]) => {
    const path = join(project, `${name}.toml`);
    writeFileSync(path, script);
    return [name, { ...preset, command: PROGRAM, arguments: ["play", path, ...args] }] as const;
  });
  return {
    project: "example",
    person: "ana",
    work: {
      title: "Example run",
      phases: [
        ...phases.map((number) => ({ number, name: "Work", after: [] as number[] })),
        ...(nLater > 0 ? [{ number: LATER_PHASE, name: "Later", after: phases }] : []),
      ],
      tasks: [
        ...tasks,
        ...Array.from({ length: nLater }, (_, n) => ({
          id: `T${LATER_PHASE}.${n + 1}`,
          phase: LATER_PHASE,
          title: `Later task ${n + 1}`,
          agent: workers[0],
        })),
      ],
    },
    settings: { slots: names.length, gateApproval: "automatic", ...settings },
    team: names.map((name) => ({ name, role: agents[name]?.role ?? "worker" })),
    environment: {
      project,
      isolation: hasWorktrees ? { type: "worktrees", base: initRepository(project) } : { type: "inPlace" },
      agents: Object.fromEntries(names.map((name) => [name, name])),
      presets: Object.fromEntries(presets),
    },
  };
}

/** A server, and the folder of the project in which it was started. */
export type ProjectFixture = ServerFixture & {
  project: string;
  /** Runs git in the project, and returns its output. */
  git: (...args: string[]) => string;
};

/** A server in a project without runs. */
export async function startProjectFixture(files: Record<string, string>): Promise<ProjectFixture> {
  const folder = makeTemporaryFolder();
  const project = join(folder, "project");
  const env = { ...process.env, JANGDAN_DATA: join(folder, "data"), HOME: folder, USER: "ana" };
  mkdirSync(project);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  initRepository(project);
  const server = await toServerFixture(folder, env, spawnServer(env, project));
  return { ...server, project, git: (...args) => runGit(project, args) };
}

function runGit(project: string, args: readonly string[]): string {
  const env = { ...process.env, HOME: project };
  const identity = ["-c", "user.name=Ana", "-c", "user.email=ana@example.invalid"];
  const stdio: StdioOptions = ["ignore", "pipe", "ignore"];
  return execFileSync("git", [...identity, ...args], { cwd: project, env, encoding: "utf8", stdio });
}

/** Makes a folder a repository, commits its files, and returns the commit. */
function initRepository(project: string): string {
  runGit(project, ["init", "--initial-branch", "main"]);
  runGit(project, ["add", "--all"]);
  runGit(project, ["commit", "--message", "Initial commit"]);
  return runGit(project, ["rev-parse", "HEAD"]).trim();
}

function spawnServer(env: NodeJS.ProcessEnv, cwd?: string): ChildProcess {
  return spawn(PROGRAM, ["serve"], { cwd, env, stdio: "ignore", detached: true });
}

function makeTemporaryFolder(): string {
  if (!existsSync(PROGRAM))
    throw new Error("JANGDAN_BIN is not the path of a program: `cargo xtask web` sets it");
  return mkdtempSync(join(tmpdir(), "jangdan-web-"));
}

async function toServerFixture(
  folder: string,
  env: NodeJS.ProcessEnv,
  first: ChildProcess,
): Promise<ServerFixture> {
  let server = first;
  // A link opens the page once.
  const newLink = () => commandOutput(env, ["link"]).match(/http:\S+/)?.[0];
  const { origin } = new URL(await waitUntil(newLink, "the link"));
  const token = readFileSync(join(env.JANGDAN_DATA ?? "", "token"), "utf8");
  const headers = { authorization: `Bearer ${token}` };
  const get = async <T>(path: string): Promise<T> => (await fetch(origin + path, { headers })).json();
  const post = (path: string, body: object) =>
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
      // A page from a folder counts as another address space than the server.
      ...(PAGE ? ["--disable-features=LocalNetworkAccessChecks"] : []),
    ],
  });
  return {
    browser,
    origin,
    get,
    post,
    runCommand: (args) => commandOutput(env, args),
    newContext: async (options) => {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        locale: "en",
        ...options,
      });
      const page = await context.newPage();
      await page.goto(newLink() ?? "");
      await page.close();
      if (PAGE) await servePageFromFolder(context, PAGE);
      return context;
    },
    killServer: () => stopServerProcess(server, "SIGKILL"),
    startServer: async () => {
      server = spawnServer(env);
      await waitUntil(() => fetch(`${origin}/api/status`, { headers }).then(({ ok }) => ok), "the server");
    },
    stop: async () => {
      await browser.close();
      await post("/api/stop", { agents: "end" }).catch(() => {});
      await stopServerProcess(server, "SIGTERM");
      // Agents that are being ended still write files.
      await waitUntil(() => !hasProcessBelow(folder), "the end of all processes in the folder");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns whether a process works in a folder, or below it. */
function hasProcessBelow(folder: string): boolean {
  return readdirSync("/proc").some((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`).startsWith(folder);
    } catch {
      // It has ended, or belongs to another user.
      return false;
    }
  });
}

/** Serves all requests except the API from a folder, with the headers of the server. */
async function servePageFromFolder(context: BrowserContext, folder: string): Promise<void> {
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

function commandOutput(env: NodeJS.ProcessEnv, args: string[]): string {
  try {
    return execFileSync(PROGRAM, args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return "";
  }
}

/** Ends a server, but not the agents that it started. */
async function stopServerProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  for (const pid of [...childPidsOfScriptCommand(child, child.pid), child.pid]) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has already exited.
    }
  }
  await exited;
}

/** The demo, which is the server, is a child of `script`. */
function childPidsOfScriptCommand({ spawnfile }: ChildProcess, pid: number): number[] {
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

const TIMEOUT_MS = 30_000;

/** Polls until `read` returns something, and returns that. */
export async function waitUntil<T>(read: () => T | Promise<T>, what: string): Promise<NonNullable<T>> {
  const start = Date.now();
  for (;;) {
    const found = await Promise.resolve()
      .then(read)
      .catch(() => undefined);
    if (found) return found as NonNullable<T>;
    if (Date.now() - start > TIMEOUT_MS) throw new Error(`timed out waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Files of a project with one task, whose agent runs `work` and reports it as done; its phase is approved automatically. */
export function writerProject(work: string): Record<string, string> {
  return {
    "TASKS.md": "# Greeting\n\n## Phase 1: Text\n\n- [ ] T1.1 Write the greeting\n",
    "jangdan.toml": `[team]
worker = "writer"

[agents.writer]
extends = "shell"
arguments = ["writer.sh"]

[orchestration]
gate_approval = "automatic"
`,
    "writer.sh": `read task
${work}
echo "DONE:$JANGDAN_TASK $JANGDAN_KEY"
read end
`,
  };
}
