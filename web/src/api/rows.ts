/**
 * The rows that `crates/views` folds from a run's events, as docs/rows.md has them.
 *
 * Times are milliseconds since 1970. What can be missing is `null`.
 */

export type Timestamp = number;
export type TaskState =
  | "waiting"
  | "ready"
  | "running"
  | "blocked"
  | "checking"
  | "merging"
  | "done"
  | "failed"
  | "skipped"
  | "cancelled";
export type RunState = "running" | "paused" | "done" | "failed" | "cancelled";
export type Priority = "low" | "normal" | "high" | "critical";
export type Severity = "low" | "medium" | "high" | "critical";
export type Used = { tokens: number; costMicros: number };
export type HoldsUp = { timeMs: number; tasks: number };
export type TaskCounts = Record<TaskState, number>;

export type RunRow = {
  id: string;
  project: string;
  title: string;
  status: RunState;
  slots: number;
  nTasks: number;
  tasks: TaskCounts;
  waitsFor: { person: number; orchestrator: number; operators: number; agents: number };
  used: Used;
  failed: string[];
  waiting: string[];
  startedAt: Timestamp;
  endedAt: Timestamp | null;
};

export type GateState = "closed" | "checking" | "judging" | "review" | "approved" | "rework";
export type PhaseRow = {
  number: number;
  name: string;
  state: "waiting" | "running" | "paused" | "atGate" | "approved" | "landed" | "cancelled";
  gate: GateState;
  round: number;
  after: number[];
  waitsFor: number[];
  session: string | null;
  nTasks: number;
  tasks: TaskCounts;
  used: Used;
  startedAt: Timestamp | null;
  endedAt: Timestamp | null;
  landedAt: Timestamp | null;
};

export type BlockReason =
  | { type: "input"; question: string }
  | { type: "dependency"; request: string }
  | { type: "call"; invocation: string }
  | { type: "approval"; phase: number }
  | { type: "rateLimited"; until: Timestamp }
  | { type: "escalated"; escalation: string }
  | { type: "paused"; by: string };
export type Party = {
  type: "person" | "orchestrator" | "operator" | "agent" | "clock" | "jangdan";
  agent?: string | null;
  until?: Timestamp;
};
export type Blocked = { reason: BlockReason; on: Party; sinceAt: Timestamp };
export type WaitsFor =
  | { type: "task"; task: string; failed: boolean }
  | { type: "phase"; phase: number }
  | { type: "external"; name: string };
export type Failure =
  | { type: "said"; reason: string }
  | { type: "exited"; exitStatus: number | null }
  | { type: "lost"; reason: string }
  | { type: "checks" }
  | { type: "merge"; reason: string }
  | { type: "error"; message: string }
  | { type: "givenUp" };

export type TaskRow = {
  id: string;
  phase: number;
  title: string;
  state: TaskState;
  stateSinceAt: Timestamp;
  blocked: Blocked[];
  waitsFor: WaitsFor[];
  nWaitsFor: number;
  priority: Priority;
  agent: string | null;
  tester: string | null;
  session: string | null;
  attempt: number;
  progress: number | null;
  step: string | null;
  question: { id: string; text: string; korean: string | null } | null;
  proof: "checked" | "unchecked" | "waived" | null;
  failure: Failure | null;
  used: Used;
  budget: string | null;
  startedAt: Timestamp | null;
  endedAt: Timestamp | null;
};

export type TaskDetailRow = {
  id: string;
  text: string;
  acceptance: string[];
  dependsOn: string[];
  external: string[];
  touches: string[];
  verify: string | null;
  timeoutMs: number | null;
  estimateMs: number | null;
  worktree: string | null;
  reported: Record<string, string>;
};

export type AttemptRow = {
  task: string;
  number: number;
  agent: string;
  session: string;
  state: "running" | "done" | "failed" | "dropped";
  claim: "said" | "turnEnd" | "phaseMarker" | "exit" | null;
  failure: Failure | null;
  counted: boolean;
  startedAt: Timestamp;
  endedAt: Timestamp | null;
};

export type AgentRow = {
  name: string;
  role: string;
  slots: number | null;
  nSessions: number;
  used: Used;
  asksALot: { phase: number; nQuestions: number } | null;
};

export type SessionState = "starting" | "active" | "waitingInput" | "parked" | "ended" | "lost";
export type SessionRow = {
  id: string;
  parent: string | null;
  depth: number;
  role: string;
  agent: string | null;
  state: SessionState;
  park: "hot" | "frozen" | "cold" | null;
  stateSinceAt: Timestamp;
  task: string | null;
  phase: number | null;
  resumes: string | null;
  dismissed: boolean;
  exitStatus: number | null;
  lost: string | null;
  used: Used;
  model: string | null;
  contextPermille: number | null;
  startedAt: Timestamp;
  endedAt: Timestamp | null;
};

export type ProgressRow = {
  sessionId: string;
  taskId: string | null;
  progress: number | null;
  currentTask: string | null;
  stepsDone: number;
  tokensUsed: number;
  updatedAt: Timestamp;
};

export type QuestionState =
  | "asked"
  | "withOrchestrator"
  | "pending"
  | "answered"
  | "delivered"
  | "resumed"
  | "withdrawn"
  | "expired";
export type Keep = "once" | "task" | "run" | "project";
export type QuestionRow = {
  id: string;
  session: string;
  agent: string | null;
  task: string | null;
  kind: "text" | "selection" | "confirmation" | "permission";
  text: string;
  korean: string | null;
  askedText: string | null;
  options: string[];
  default: string | null;
  context: string | null;
  required: boolean;
  permission: { kind: string; subject: string; inWorktree: boolean; detail?: string } | null;
  status: QuestionState;
  answer: string | null;
  answeredBy: string | null;
  askedBack: { by: string; text: string; askedAt: Timestamp }[];
  withdrawn: string | null;
  holdsUp: HoldsUp;
  chat: string | null;
  askedAt: Timestamp;
  withPersonAt: Timestamp | null;
  expiresAt: Timestamp | null;
  answeredAt: Timestamp | null;
  deliveredAt: Timestamp | null;
};

export type RequestRow = {
  id: string;
  session: string;
  agent: string | null;
  task: string | null;
  type: "api_key" | "env_variable" | "service" | "file" | "permission" | "package";
  name: string;
  description: string;
  required: boolean;
  default: string | null;
  status: "asked" | "provided" | "refused" | "skipped";
  refused: string | null;
  holdsUp: HoldsUp;
  askedAt: Timestamp;
  settledAt: Timestamp | null;
};

export type Action =
  | { type: "retry"; hint?: string }
  | { type: "reassign"; agent: string }
  | { type: "skip" }
  | { type: "waive" }
  | { type: "raiseBudget"; budget: string }
  | { type: "giveUp" }
  | { type: "dismiss" };
export type EscalationRow = {
  id: string;
  kind: string;
  severity: Severity;
  task: string | null;
  phase: number | null;
  session: string | null;
  agent: string | null;
  title: string;
  description: string;
  context: string;
  suggested: Action[];
  status: "open" | "resolved";
  level: "worker" | "operator" | "orchestrator" | "person";
  action: Action | null;
  note: string | null;
  resolvedBy: string | null;
  holdsUp: HoldsUp;
  createdAt: Timestamp;
  resolvedAt: Timestamp | null;
};

export type Receipt = {
  command: string;
  exitStatus: number | null;
  outputHash: string;
  outputTail?: string;
  tree: string;
  startedAt: Timestamp;
  finishedAt: Timestamp;
};
export type ReceiptRow = {
  sequence: number;
  index: number;
  purpose: "check" | "merge" | "gate";
  task: string | null;
  attempt: number | null;
  phase: number | null;
  round: number | null;
  passed: boolean;
  receipt: Receipt;
};

export type GateRow = {
  phase: number;
  state: GateState;
  round: number;
  rounds: {
    round: number;
    report: {
      passed: boolean;
      receipts: Receipt[];
      artefacts: string[];
      missing: string[];
      tasks: string[];
      summary: string;
    } | null;
    passed: boolean | null;
    reason: string | null;
    rework: string[];
    openedAt: Timestamp;
    endedAt: Timestamp | null;
  }[];
  artefacts: string[];
  documents: string[];
  approval: { by: string; waived: boolean; note: string | null; approvedAt: Timestamp } | null;
  holdsUp: HoldsUp;
  openedAt: Timestamp;
};

export type CheckpointRow = {
  id: string;
  task: string;
  reason: "turnEnd" | "park" | "error" | "failure" | "gate" | "asked";
  state: "ordered" | "made" | "failed";
  commit: string | null;
  error: string | null;
  orderedAt: Timestamp;
  finishedAt: Timestamp | null;
};

export type TestFailure = {
  name: string;
  expected?: string;
  actual?: string;
  trace?: string;
  suggestedFix?: string;
};
export type LoopRow = {
  id: string;
  task: string;
  tester: string | null;
  status: "running" | "success" | "failed" | "escalated";
  rounds: {
    round: number;
    feedback: { success: boolean; failures?: TestFailure[]; suggestions?: string[] };
    failedAt: Timestamp;
  }[];
  startedAt: Timestamp;
  endedAt: Timestamp | null;
};

export type TurnRow = {
  task: string;
  index: number;
  role: "orchestrator" | "agent";
  kind: "text" | "prompt" | "question" | "answer" | "askBack" | "notice";
  agent: string | null;
  session: string;
  content: string;
  question: string | null;
  saidAt: Timestamp;
};

export type ChatRow = {
  index: number;
  author: "person" | "orchestrator" | "system";
  name: string | null;
  text: string;
  korean: string | null;
  question: string | null;
  isCard: boolean;
  saidAt: Timestamp;
};

export type TimelineRow = {
  sequence: number;
  kind: string;
  actor: string;
  text: string;
  korean: string | null;
  task: string | null;
  phase: number | null;
  session: string | null;
  question: string | null;
  id: string | null;
  happenedAt: Timestamp;
};

export type InboxItem =
  | { type: "question" | "request" | "escalation" | "invocation" | "plan"; id: string }
  | { type: "gate"; id: number };
export type InboxRow = {
  item: InboxItem;
  task: string | null;
  phase: number | null;
  text: string;
  korean: string | null;
  severity: Severity | null;
  holdsUp: HoldsUp;
  sinceAt: Timestamp;
};

/** Files that two unfinished tasks both changed. */
export type OverlapRow = {
  tasks: [string, string];
  files: string[];
  nFiles: number;
  sinceAt: Timestamp;
  changedAt: Timestamp;
};

export type UsageRow = {
  scope: { type: "run" } | { type: "phase"; id: number } | { type: "agent" | "task"; id: string };
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  costMicros: number;
};

/** Every kind of row that the page reads, with its type. */
export type RowOf = {
  run: RunRow;
  phase: PhaseRow;
  task: TaskRow;
  taskDetail: TaskDetailRow;
  attempt: AttemptRow;
  agent: AgentRow;
  session: SessionRow;
  progress: ProgressRow;
  question: QuestionRow;
  request: RequestRow;
  escalation: EscalationRow;
  gate: GateRow;
  checkpoint: CheckpointRow;
  receipt: ReceiptRow;
  feedbackLoop: LoopRow;
  turn: TurnRow;
  chat: ChatRow;
  timeline: TimelineRow;
  inbox: InboxRow;
  usage: UsageRow;
  overlap: OverlapRow;
};
export type Kind = keyof RowOf;

const padded = (number: number, width: number) => String(number).padStart(width, "0");

/** The key of a row within its kind, as the live stream has it. */
export const keyOf: { [K in Kind]: (row: RowOf[K]) => string } = {
  run: () => "run",
  phase: (row) => String(row.number),
  task: (row) => row.id,
  taskDetail: (row) => row.id,
  attempt: (row) => `${row.task}/${row.number}`,
  agent: (row) => row.name,
  session: (row) => row.id,
  progress: (row) => row.sessionId,
  question: (row) => row.id,
  request: (row) => row.id,
  escalation: (row) => row.id,
  gate: (row) => String(row.phase),
  checkpoint: (row) => row.id,
  receipt: (row) => `${padded(row.sequence, 12)}/${padded(row.index, 3)}`,
  feedbackLoop: (row) => row.id,
  turn: (row) => `${row.task}/${padded(row.index, 10)}`,
  chat: (row) => padded(row.index, 10),
  timeline: (row) => padded(row.sequence, 12),
  inbox: (row) => (row.item.type === "gate" ? `gate/${row.item.id}` : row.item.id),
  overlap: (row) => row.tasks.join("/"),
  usage: (row) => ("id" in row.scope ? `${row.scope.type}/${row.scope.id}` : row.scope.type),
};

/** Tells whether a kind of row is one that the page reads. */
export function isKind(kind: string): kind is Kind {
  return Object.hasOwn(keyOf, kind);
}
