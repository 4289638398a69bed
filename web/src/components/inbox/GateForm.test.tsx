// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from "vitest";
import type { ChangeSummary, GateReport, GateRound, GateRow, Receipt } from "~/api/generated";
import { click, enterText, renderForTest, visibleText, waitFor } from "~/components/renderForTest";
import { GateForm } from "./GateForm";

const requests: { path: string; body: unknown }[] = [];
const DIFF = "diff --git a/api.py b/api.py\n--- a/api.py\n+++ b/api.py\n@@ -1 +1 @@\n-old\n+new\n";

beforeEach(() => {
  requests.length = 0;
  vi.stubGlobal("fetch", async (path: string, init: RequestInit = {}) => {
    if (init.body) requests.push({ path, body: JSON.parse(String(init.body)).command });
    else requests.push({ path, body: null });
    if (path.includes("/diff")) return new Response(DIFF);
    return Response.json(path === "/api/status" ? { person: "ana" } : { sequence: 7 });
  });
});

const changes = (...paths: string[]): ChangeSummary => ({
  files: paths.map((path) => ({ path, lines: { added: 4, removed: 1 } })),
  nFiles: paths.length,
  nAdded: 4 * paths.length,
  nRemoved: paths.length,
});

const CHECK: Receipt = {
  command: "make test",
  exitStatus: 0,
  attempts: 1,
  outputHash: "0123456789abcdef0123",
  outputTail: "5 passed in 1.2 s\n",
  tree: "fedcba9876543210",
  startedAt: 1_000,
  finishedAt: 3_200,
};

const report = (more: Partial<GateReport> = {}): GateReport => ({
  passed: true,
  receipts: [CHECK],
  artefacts: [],
  missing: [],
  tasks: [],
  summary: "`make test` passed",
  changes: changes("api.py", "client.py"),
  ...more,
});

const round = (number: number, more: Partial<GateRound> = {}): GateRound => ({
  round: number,
  verifier: null,
  report: report(),
  verdict: null,
  passed: true,
  reason: null,
  rework: [],
  isUnchanged: false,
  openedAt: 0,
  endedAt: null,
  ...more,
});

const gate = (...rounds: GateRound[]): GateRow => ({
  phase: 1,
  state: "review",
  round: rounds.length,
  rounds,
  artefacts: [],
  documents: [],
  tasks: [
    { id: "T1.1", title: "API", state: "done", marks: [], leftOut: [] },
    { id: "T1.2", title: "Client", state: "done", marks: ["unchecked", "noChanges"], leftOut: [] },
    { id: "T1.3", title: "Docs", state: "skipped", marks: [], leftOut: [] },
  ],
  approval: null,
  blocks: { timeMs: 0, tasks: 0 },
  openedAt: 0,
});

const render = (row: GateRow, language?: "ko") =>
  renderForTest(<GateForm run="r1" gate={row} actions={["approve", "reject"]} />, language);
const buttonNamed = (box: Element, name: string) =>
  [...box.querySelectorAll("button")].find((button) => visibleText(button).includes(name));

test("a gate shows its tasks with their marks, and how many were checked", async () => {
  const box = await render(gate(round(1)));
  const text = visibleText(box);
  expect(text).toContain("Done tasks: 1 checked · 1 unchecked");
  expect(text).toContain("T1.2 Client · unchecked · no changes");
  expect(text).toContain("T1.3 Docs · Skipped");
  expect(text).not.toContain("Round 1");
});

test("a gate shows its check with command, outcome, duration and end of the output", async () => {
  const failed = { ...CHECK, exitStatus: 2, outputTail: "2 failed\n" };
  const box = await render(gate(round(1, { report: report({ passed: false, receipts: [CHECK, failed] }) })));
  const [passedCheck, failedCheck] = box.querySelectorAll("details");
  expect(visibleText(passedCheck as Element)).toMatch(/✓ Passedmake testexit 0 · .*2 s.*5 passed in 1\.2 s/);
  expect(visibleText(failedCheck as Element)).toMatch(/✕ Failedmake testexit 2 · .*2 s.*2 failed/);
  expect([passedCheck?.open, failedCheck?.open]).toEqual([false, true]);
});

test.each([
  [undefined, "No check is set: nothing proves this phase."],
  ["ko", "설정된 검증이 없어 이 단계를 확인할 수 없습니다."],
] as const)("a gate without a check says so (%s)", async (language, expected) => {
  const unproved = report({ receipts: [], summary: "no check is set: nothing proves this phase" });
  const box = await render(gate(round(1, { report: unproved })), language);
  expect(visibleText(box)).toContain(expected);
});

test.each([
  [undefined, "Left out: data.bin (20.0 MiB)"],
  ["ko", "제외된 파일: data.bin (20.0 MiB)"],
] as const)("a gate names the files that are not part of the work (%s)", async (language, expected) => {
  const row = gate(round(1));
  const [first, ...others] = row.tasks;
  const leftOut = [{ path: "data.bin", bytes: 20 * 2 ** 20 }];
  const tasks = first ? [{ ...first, leftOut }, ...others] : [];
  expect(visibleText(await render({ ...row, tasks }, language))).toContain(expected);
  expect(visibleText(await render(row, language))).not.toContain("MiB");
});

test("the second round shows the reason of the first, and the diff since then on request", async () => {
  const first = round(1, { passed: false, reason: "The cups are missing" });
  const second = round(2, { report: report({ changesSinceRejection: changes("cups.py") }) });
  const box = await render(gate(first, second));
  expect(visibleText(box)).toContain("Round 2 · last round: The cups are missing");
  expect(visibleText(box)).toContain("Since the last round: 1 file +4 −1");
  await click(buttonNamed(box, "Show changes"));
  await waitFor(() => expect(visibleText(box)).toContain("new"));
  expect(requests.at(-1)?.path).toBe("/api/runs/r1/phases/1/diff?sinceRejection=true");
  await click(buttonNamed(box, "Hide changes"));
  expect(visibleText(box)).not.toContain("old");
});

test("the verdict of the verifier is shown with its findings", async () => {
  const findings = [{ task: "T1", file: "till.py", text: "there is no test" }];
  const verdict = { accepted: true, summary: "It builds.", findings };
  const box = await render(gate(round(1, { verdict })));
  expect(visibleText(box)).toContain("Verifier: accepted. It builds.");
  expect(visibleText(box)).toContain("T1 · there is no test · till.py");
});

test.each([{ isUnchanged: true }, { report: report({ changesSinceRejection: changes() }) }])(
  "a round that changed nothing says so: %o",
  async (unchanged) => {
    const box = await render(gate(round(1, { passed: false }), round(2, unchanged)));
    expect(visibleText(box)).toContain("Nothing has changed since you requested changes.");
  },
);

test("tasks that are not simply done and checked are listed first", async () => {
  const plain = Array.from({ length: 20 }, (_, n) => ({
    id: `T1.${n + 10}`,
    title: "Plain",
    state: "done" as const,
    marks: [],
    leftOut: [],
  }));
  const row = gate(round(1));
  const box = await render({ ...row, tasks: [...plain, ...row.tasks] });
  expect(visibleText(box)).toContain("T1.2 Client · unchecked · no changes");
  expect(visibleText(box)).toContain("and 17 more");
});

test("only the first files are listed, and the others on request", async () => {
  const paths = Array.from({ length: 20 }, (_, n) => `file${n + 1}.py`);
  const box = await render(gate(round(1, { report: report({ changes: changes(...paths) }) })));
  expect(visibleText(box)).toContain("20 files +80 −20");
  expect(box.querySelectorAll("[data-file]")).toHaveLength(6);
  await click(buttonNamed(box, "and 14 more"));
  expect(box.querySelectorAll("[data-file]")).toHaveLength(20);
});

test("changes are requested with a reason", async () => {
  const box = await render(gate(round(1)));
  const reject = buttonNamed(box, "Request changes");
  expect(reject?.disabled).toBe(true);
  await enterText(box.querySelector("[data-answer]"), " The cups are missing ");
  await click(reject);
  await waitFor(() =>
    expect(requests.at(-1)).toEqual({
      path: "/api/runs/r1/commands",
      body: { rejectGate: { phase: 1, reason: "The cups are missing", tasks: [] } },
    }),
  );
});
