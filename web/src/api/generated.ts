/**
 * What the server says and understands, made from its own types by `cargo xtask types`. Not edited by hand.
 *
 * Times are milliseconds since 1970. What can be missing is `null`, or left out where there is a question mark.
 */

/** A wish that came true. */
export type Accepted = {
  /** The place of its last event in the run. */
  sequence: Sequence,
};

/** What can be done about a problem. */
export type Action = { "type": "retry",
  /** What to do differently. */
  hint?: string | null,
}
| { "type": "reassign",
  /** Who. */
  agent: AgentName,
}
| { "type": "skip" }
| { "type": "waive" }
| { "type": "raiseBudget",
  /** The new limit. */
  budget: Budget,
}
| { "type": "giveUp" }
| { "type": "dismiss" };

/** Whoever stands behind a command or an event. */
export type Actor = string;

/** What becomes of the agents when the server stops. */
export type AfterStop = "leave" | "end";

/** Names one agent of the team: letters of any script, digits, `_`, `-` and `.`. */
export type AgentName = string;

/** A member of the team. */
export type AgentRow = {
  /** The name by which others call it. */
  name: AgentName,
  /** What it is in the team for. */
  role: Role,
  /** How many tasks it may do at once; as many as the run where nothing is said. */
  slots: number | null,
  /** How many of its sessions live. */
  nSessions: number,
  /** What was used. */
  used: Used,
  /** Where it asked more than people like, the last time. */
  asksALot: AsksALot | null,
};

/** Who let a phase pass. */
export type Approval = {
  /** Who. */
  by: Actor,
  /** Whether it passed although its checks failed. */
  waived: boolean,
  /** A word about it. */
  note: string | null,
  /** When. */
  approvedAt: Timestamp,
};

/** Something that is not clear about a question. */
export type AskedBack = {
  /** Who wants to know. */
  by: Actor,
  /** What. */
  text: string,
  /** When. */
  askedAt: Timestamp,
};

/** A question that waits for an answer, and in which run: a row of the kind question with the run beside it. */
export type AskedQuestion = {
  /** The run. */
  run: RunId,
  /** The question. */
  id: QuestionId,
  /** The session that waits for the answer. */
  session: SessionId,
  /** Who that is. */
  agent: AgentName | null,
  /** The task; none where it is about the run. */
  task: TaskId | null,
  /** What kind of answer is wanted. */
  kind: QuestionKind,
  /** What is asked, in the words of whoever handed it on last. */
  text: string,
  /** The same in Korean, where Jangdan itself asks. */
  korean: string | null,
  /** What the agent asked, where the orchestrator put it into other words. */
  askedText: string | null,
  /** The offered answers. */
  options: Array<string>,
  /** The answer the agent would take. */
  default: string | null,
  /** What one should know. */
  context: string | null,
  /** Whether the agent can't go on without an answer. */
  required: boolean,
  /** What the agent wants to do, where it asks for permission. */
  permission: PermissionWish | null,
  /** Whether the agent asks in the middle of its turn, which goes on with the answer. */
  isInTurn: boolean,
  /** How it stands. */
  status: QuestionState,
  /** The answer. */
  answer: string | null,
  /** Who gave it. */
  answeredBy: Actor | null,
  /** What somebody wanted to know before they answer. */
  askedBack: Array<AskedBack>,
  /** Why nobody needs the answer any more. */
  withdrawn: string | null,
  /** What waits behind it. */
  holdsUp: HoldsUp,
  /** The chat message that shows it. */
  chat: string | null,
  /** When it was asked. */
  askedAt: Timestamp,
  /** When it reached the person. */
  withPersonAt: Timestamp | null,
  /** When its default is taken, or it becomes an escalation. */
  expiresAt: Timestamp | null,
  /** When it was answered. */
  answeredAt: Timestamp | null,
  /** When the answer reached the session. */
  deliveredAt: Timestamp | null,
};

/** More questions in one phase than people like. */
export type AsksALot = {
  /** The phase. */
  phase: number,
  /** How many there were. */
  nQuestions: number,
};

/** One try at a task. */
export type AttemptRow = {
  /** The task. */
  task: TaskId,
  /** Which try. */
  number: number,
  /** Who. */
  agent: AgentName,
  /** In which session, the latest of them. */
  session: SessionId,
  /** How it stands. */
  state: AttemptState,
  /** How the agent said that it is done, the last time. */
  claim: ClaimSource | null,
  /** Why it came to nothing. */
  failure: Failure | null,
  /** Whether it counts towards the tries a task has. */
  counted: boolean,
  /** When it began. */
  startedAt: Timestamp,
  /** When it was over. */
  endedAt: Timestamp | null,
};

/** How a try stands. */
export type AttemptState = "running" | "done" | "failed" | "dropped";

/** Who speaks in a chat. */
export type Author = "person" | "orchestrator" | "system";

/** A piece of a task's time. */
export type Bar = {
  /** The task. */
  task: TaskId,
  /** Who did it, does it, or is thought to. */
  agent: AgentName | null,
  /** What kind of time it is. */
  kind: BarKind,
  /** When it begins. */
  startAt: Timestamp,
  /** When it ends. */
  endAt: Timestamp,
  /** Why the task did not go on, in time that it was blocked. */
  reason: BlockReason | null,
  /** The question, what was asked for, or what went wrong, in that time. */
  text: string | null,
  /** The same in Korean, where Jangdan itself says it. */
  korean: string | null,
  /** Whether the task is on the longest way through the plan. */
  isCritical: boolean,
};

/** What kind of time a bar is. */
export type BarKind = "past" | "now" | "blocked" | "predicted";

/** Why a task does not go on. It may have several reasons; it goes on when the last one is gone. */
export type BlockReason = { "type": "input",
  /** The question. */
  question: QuestionId,
}
| { "type": "dependency",
  /** The request. */
  request: RequestId,
}
| { "type": "call",
  /** The call. */
  invocation: InvocationId,
}
| { "type": "approval",
  /** The phase. */
  phase: number,
}
| { "type": "rateLimited",
  /** When it is tried again. */
  until: Timestamp,
}
| { "type": "escalated",
  /** The escalation. */
  escalation: EscalationId,
}
| { "type": "paused",
  /** Who. */
  by: Actor,
};

/** A reason not to go on. */
export type Blocked = {
  /** The reason. */
  reason: BlockReason,
  /** On whom it waits. */
  on: Party,
  /** Since when. */
  sinceAt: Timestamp,
};

/** What a task may cost before it is parked: `200k` tokens, or `$2`. */
export type Budget = string;

/** Who speaks. */
export type By = "agent" | "orchestrator" | "person" | "system";

/** One row that is new, looks different, or is gone. */
export type Changed = {
  /** The run. */
  run: RunId,
  /** The place of the event in the run. */
  sequence: Sequence,
  /** What it is a row of. */
  kind: string,
  /** Its name within its kind. */
  key: string,
  /** How it looks now; none where it is gone. */
  row: unknown,
};

/** A task about which something else is said. */
export type ChangedTask = {
  /** The task as the file has it. */
  task: PlannedTask,
  /** What is different. */
  fields: Array<PlanField>,
};

/** The direct line between two sessions. */
export type ChannelId = string;

/** The direct line between two sessions. */
export type ChannelRow = {
  /** The channel. */
  id: ChannelId,
  /** One end. */
  sessionA: SessionId,
  /** The other end. */
  sessionB: SessionId,
  /** How it stands. */
  status: ChannelState,
  /** How many messages went over it. */
  nMessages: number,
  /** When it was made. */
  createdAt: Timestamp,
  /** When one of the two was gone. */
  closedAt: Timestamp | null,
};

/** How a channel stands. */
export type ChannelState = "open" | "closed";

/** One utterance about the run. */
export type ChatRow = {
  /** Its place, from 0. */
  index: number,
  /** Who speaks. */
  author: Author,
  /** The person's name, where one speaks. */
  name: string | null,
  /** What is said. */
  text: string,
  /** The same in Korean, where Jangdan itself says it. */
  korean: string | null,
  /** The question that it asks, answers or is about. */
  question: QuestionId | null,
  /** Whether it is that question's card. */
  isCard: boolean,
  /** When. */
  saidAt: Timestamp,
};

/** A point that a task can go back to. */
export type CheckpointId = string;

/** Why a checkpoint is made. */
export type CheckpointReason = "turnEnd" | "park" | "error" | "failure" | "gate" | "asked";

/** A point that a task can go back to. */
export type CheckpointRow = {
  /** The checkpoint. */
  id: CheckpointId,
  /** The task. */
  task: TaskId,
  /** Why it was made. */
  reason: CheckpointReason,
  /** How it stands. */
  state: CheckpointState,
  /** The kept commit. */
  commit: string | null,
  /** The tree that the task's work was. */
  tree: string | null,
  /** The agent's own session id. */
  agentSession: string | null,
  /** Why it could not be made. */
  error: string | null,
  /** When it was ordered. */
  orderedAt: Timestamp,
  /** When it was there, or could not be made. */
  finishedAt: Timestamp | null,
};

/** How a checkpoint stands. */
export type CheckpointState = "ordered" | "made" | "failed";

/** How a task came to be called done. */
export type ClaimSource = "said" | "turnEnd" | "phaseMarker" | "exit";

/** What was removed, and what was not. */
export type Cleaned = {
  /** Tasks whose worktrees are gone. */
  removed: Array<TaskId>,
  /** Tasks whose worktrees stay, and why. */
  left: Array<[TaskId, string]>,
  /** Sessions without a task whose worktrees are gone. */
  desksRemoved: Array<SessionId>,
  /** Sessions without a task whose worktrees stay, and why. */
  desksLeft: Array<[SessionId, string]>,
};

/** How large a task is, for estimates until durations are learned. */
export type Complexity = "S" | "M" | "L" | "XL";

/** A key of the configuration. */
export type ConfigKey = {
  /** Full name. */
  key: string,
  /** Value; absent if it is not set and has no default. */
  value?: ConfigValue,
  /** Origins of the value. */
  origins: Array<ConfigOrigin>,
  /** Meaning. */
  about: string,
};

/** Origin of a value. */
export type ConfigOrigin = { "type": "default" }
| { "type": "file",
  /** Display name. */
  name: string,
  /** Line, from 1. */
  line: number | null,
}
| { "type": "environment",
  /** Name of the variable. */
  variable: string,
}
| { "type": "flag",
  /** Key that it sets. */
  key: string,
};

/** A value as JSON. */
export type ConfigValue = boolean | number | string | string[];

/** What kind of thing a task needs from outside. */
export type DependencyType = "api_key" | "env_variable" | "service" | "file" | "permission" | "package";

/** What one session says to another. */
export type DirectMessageId = string;

/** What one session says to another. */
export type DirectMessageRow = {
  /** The message. */
  id: DirectMessageId,
  /** The line it goes over. */
  channel: ChannelId,
  /** The session that says it. */
  fromSession: SessionId,
  /** Who that is. */
  from: AgentName | null,
  /** The session to which it is said. */
  toSession: SessionId,
  /** Who that is. */
  to: AgentName | null,
  /** What it is. */
  directType: DirectType,
  /** What is said. */
  content: string,
  /** How it stands. */
  status: DirectMessageState,
  /** When it was said. */
  createdAt: Timestamp,
  /** When it was on its way into the other session. */
  receivedAt: Timestamp | null,
  /** When the other session had it. */
  deliveredAt: Timestamp | null,
};

/** How a direct message stands. */
export type DirectMessageState = "sent" | "received" | "acknowledged";

/** What a direct message is. */
export type DirectType = "result" | "feedback" | "query";

/** A problem handed upward. */
export type EscalationId = string;

/** A problem handed upward. */
export type EscalationRow = {
  /** The escalation. */
  id: EscalationId,
  /** What kind of problem it is. */
  kind: EscalationType,
  /** How bad it is. */
  severity: Severity,
  /** The task that it is about. */
  task: TaskId | null,
  /** The phase that it is about. */
  phase: number | null,
  /** The session it came up in. */
  session: SessionId | null,
  /** Who that is. */
  agent: AgentName | null,
  /** What happened, in a line. */
  title: string,
  /** The same in Korean, where Jangdan itself says it. */
  korean: string | null,
  /** What happened. */
  description: string,
  /** What led to it. */
  context: string,
  /** What could be done. */
  suggested: Array<Action>,
  /** How it stands. */
  status: EscalationState,
  /** Who has it in hand. */
  level: Level,
  /** The session that has it in hand. */
  levelSession: SessionId | null,
  /** What was done; nothing where its cause went away. */
  action: Action | null,
  /** A word about it. */
  note: string | null,
  /** Who settled it. */
  resolvedBy: Actor | null,
  /** What waits behind it. */
  holdsUp: HoldsUp,
  /** When it was raised. */
  createdAt: Timestamp,
  /** When it was settled. */
  resolvedAt: Timestamp | null,
};

/** How an escalation stands. */
export type EscalationState = "open" | "resolved";

/** What kind of problem it is. */
export type EscalationType = "general" | "blocked" | "decision" | "test_failure" | "token_exhausted" | "timeout" | "conflict" | "dependency" | "quality" | "protocol";

/** Why a try at a task came to nothing. */
export type Failure = { "type": "said",
  /** Why. */
  reason: string,
}
| { "type": "exited",
  /** Its exit status; none where a signal ended it. */
  exitStatus: number | null,
}
| { "type": "lost",
  /** What is known. */
  reason: string,
}
| { "type": "checks" }
| { "type": "merge",
  /** What is known. */
  reason: string,
}
| { "type": "error",
  /** The error. */
  message: string,
}
| { "type": "givenUp" };

/** The outcome of one round of testing. */
export type Feedback = {
  /** Whether all is as it should be. */
  success: boolean,
  /** What is not. */
  failures: Array<TestFailure>,
  /** What the tester would do. */
  suggestions: Array<string>,
  /** How many tests there were. */
  metrics?: TestMetrics,
};

/** What the plan says of a task when the run starts. */
export type FromPlan = "open" | "done" | "skipped";

/** What a gate found out by itself. */
export type GateReport = {
  /** Whether its checks passed. */
  passed: boolean,
  /** What ran. */
  receipts: Array<Receipt>,
  /** What the phase left behind. */
  artefacts: Array<string>,
  /** What was promised and is not there. */
  missing: Array<string>,
  /** The tasks that are to blame, where that is known. */
  tasks: Array<TaskId>,
  /** The report in words. */
  summary: string,
};

/** One time that a phase was at its gate. */
export type GateRound = {
  /** Which time. */
  round: number,
  /** The verifier's session. */
  judge: SessionId | null,
  /** What the gate found out by itself. */
  report: GateReport | null,
  /** Whether it passed. */
  passed: boolean | null,
  /** Why it did not pass. */
  reason: string | null,
  /** The tasks that are to be done again. */
  rework: Array<TaskId>,
  /** When it began. */
  openedAt: Timestamp,
  /** When it passed or failed. */
  endedAt: Timestamp | null,
};

/** The gate of a phase. */
export type GateRow = {
  /** The phase. */
  phase: number,
  /** How it stands. */
  state: GateState,
  /** Which time it is. */
  round: number,
  /** The rounds, the last one last; a gate is failed only so many times. */
  rounds: Array<GateRound>,
  /** What the phase left behind, as the last report has it. */
  artefacts: Array<string>,
  /** The documents that agents reported. */
  documents: Array<string>,
  /** Who let it pass. */
  approval: Approval | null,
  /** What waits behind it. */
  holdsUp: HoldsUp,
  /** When the phase was at its gate for the first time. */
  openedAt: Timestamp,
};

/** How a gate stands. */
export type GateState = "closed" | "checking" | "judging" | "review" | "approved" | "rework";

/** What is seen of an agent this moment. */
export type Glimpse = { "type": "words",
  /** What. */
  text: string,
}
| { "type": "tool",
  /** The agent's own id of the call. */
  id: string,
  /** What is done. */
  title: string,
  /** How far it is. */
  status: ToolStatus,
}
| { "type": "plan",
  /** The steps, each with how far it is: waiting, running or done. */
  steps: Array<[string, string]>,
}
| { "type": "trouble",
  /** What. */
  text: string,
};

/** What is seen of a session this moment; nobody keeps it. */
export type Glimpsed = {
  /** The run. */
  run: RunId,
  /** The session. */
  session: SessionId,
  /** What. */
  what: Glimpse,
};

/** Something that happened. */
export type HappenedEvent = {
  /** Its place in the run. */
  sequence: Sequence,
  /** When, in milliseconds since 1970. */
  at: Timestamp,
  /** Who made it happen. */
  actor: string,
  /** What happened, in a word. */
  event: string,
  /** The same in a line for people. */
  text: string,
  /** The task that it is about. */
  task: TaskId | null,
  /** The session that it is about. */
  session: SessionId | null,
  /** The question that it is about. */
  question: QuestionId | null,
  /** Whether only somebody who looks for a mistake wants to know. */
  quiet: boolean,
};

/** How far somebody's silence reaches: what waits behind a question, and for how long. */
export type HoldsUp = {
  /** The time on the longest way to the end, as it is estimated. */
  timeMs: number,
  /** The tasks behind it. */
  tasks: number,
};

/** What waits for the person, and in which run: a row of the inbox with the run beside it. */
export type InboxEntry = {
  /** The run. */
  run: RunId,
  /** What it is. */
  item: InboxItem,
  /** The task that it is about. */
  task: TaskId | null,
  /** The phase that it is about. */
  phase: number | null,
  /** What is wanted, in a line or a few. */
  text: string,
  /** The same in Korean, where Jangdan itself says it. */
  korean: string | null,
  /** How bad it is, where it is a problem. */
  severity: Severity | null,
  /** What waits behind it. */
  holdsUp: HoldsUp,
  /** Since when it waits. */
  sinceAt: Timestamp,
};

/** What somebody has in hand. Calls are never in the inbox: agents have them. */
export type InboxItem = { "type": "question", "id": QuestionId }
| { "type": "request", "id": RequestId }
| { "type": "gate", "id": number }
| { "type": "escalation", "id": EscalationId }
| { "type": "invocation", "id": InvocationId }
| { "type": "plan", "id": OfferId };

/** One thing that waits for the person. */
export type InboxRow = {
  /** What it is. */
  item: InboxItem,
  /** The task that it is about. */
  task: TaskId | null,
  /** The phase that it is about. */
  phase: number | null,
  /** What is wanted, in a line or a few. */
  text: string,
  /** The same in Korean, where Jangdan itself says it. */
  korean: string | null,
  /** How bad it is, where it is a problem. */
  severity: Severity | null,
  /** What waits behind it. */
  holdsUp: HoldsUp,
  /** Since when it waits. */
  sinceAt: Timestamp,
};

/** One agent calling another. */
export type InvocationId = string;

/** One agent calling another. */
export type InvocationRow = {
  /** The call. */
  id: InvocationId,
  /** The session that calls. */
  callerSession: SessionId,
  /** Who that is. */
  caller: AgentName | null,
  /** Who is called. */
  callee: AgentName,
  /** The session that does it. */
  calleeSession: SessionId | null,
  /** What is wanted. */
  wanted: string,
  /** What one should know. */
  context: string | null,
  /** How it stands. */
  status: InvocationState,
  /** What kind of result came of it. */
  resultType: ResultType | null,
  /** The result, or why there is none. */
  outcome: string | null,
  /** When it was made. */
  createdAt: Timestamp,
  /** When the called one took it in hand. */
  startedAt: Timestamp | null,
  /** When it was over. */
  endedAt: Timestamp | null,
};

/** How a call stands. */
export type InvocationState = "pending" | "inProgress" | "completed" | "failed";

/** How long a choice is kept. */
export type Keep = "once" | "task" | "run" | "project";

/** A task for which a change comes too late. */
export type KeptTask = {
  /** The task. */
  task: TaskId,
  /** What is different, and stays as it is; nothing where the file no longer has the task. */
  fields: Array<PlanField>,
};

/** What came of bringing a run's work onto its branch. */
export type Landed = { "type": "landed",
  /** The branch. */
  branch: string,
  /** The new commit of the branch. */
  commit: string,
  /** Its previous commit, if it had one. */
  from: string | null,
  /** Number of commits that the branch gained. */
  nCommits: number,
}
| { "type": "already",
  /** The branch. */
  branch: string,
}
| { "type": "checkedOut",
  /** The branch. */
  branch: string,
  /** Where. */
  path: string,
}
| { "type": "diverged",
  /** The branch. */
  branch: string,
  /** Where it is. */
  tip: string,
}
| { "type": "dirty",
  /** The branch. */
  branch: string,
  /** The files. */
  files: Array<string>,
}
| { "type": "notApproved",
  /** The branch that has what is merged. */
  branch: string,
}
| { "type": "noTarget",
  /** The run's branch. */
  branch: string,
};

/** The place of a phase. */
export type Lane = {
  /** The phase. */
  phase: number,
  /** Its name, or an empty text. */
  title: string,
  /** Its left side. */
  x: number,
  /** Its upper side. */
  y: number,
  /** How wide it is. */
  width: number,
  /** How high it is. */
  height: number,
};

/** A picture of a plan. All measures are in the same unit, a pixel where nobody zooms. */
export type Layout = {
  /** How wide it is. */
  width: number,
  /** How high it is. */
  height: number,
  /** How wide a task is. */
  nodeWidth: number,
  /** How high a task is. */
  nodeHeight: number,
  /** The phases, by number. */
  lanes: Array<Lane>,
  /** The tasks, by name. */
  nodes: Array<PlacedTask>,
  /** Who waits for whom. */
  edges: Array<Link>,
};

/** Who has it in hand. A problem climbs from the worker up to the person. */
export type Level = "worker" | "operator" | "orchestrator" | "person";

/** One task that waits for another. */
export type Link = {
  /** The task that comes first. */
  from: TaskId,
  /** The one that waits for it. */
  to: TaskId,
  /** Whether it is on the longest way through the plan. */
  isCritical: boolean,
};

/** An agent, as it is shown. */
export type ListedAgent = {
  /** Its name. */
  name: string,
  /** Its name for people. */
  title: string,
  /** Where its program is. */
  program?: string,
  /** What it says about its version. */
  version?: string,
  /** Whether it is logged in. */
  login: Login,
  /** What to do before it works. */
  missing?: string,
  /** Whether a run can take it as it is. */
  works: boolean,
  /** Whether a run takes it where nobody is named. */
  chosen: boolean,
};

/** Whether an agent is logged in. */
export type Login = "in" | "out" | "notNeeded";

/** A worker and a tester (or a check) at one task. */
export type LoopId = string;

/** One round that found failures. */
export type LoopRound = {
  /** Which round. */
  round: number,
  /** What was found. */
  feedback: Feedback,
  /** When. */
  failedAt: Timestamp,
};

/** A worker and a tester, or a check, at one task. */
export type LoopRow = {
  /** The loop. */
  id: LoopId,
  /** The task. */
  task: TaskId,
  /** Who tests; none where a command does. */
  tester: AgentName | null,
  /** How it stands. */
  status: LoopState,
  /** The rounds that found failures; the settings bound how many there can be. */
  rounds: Array<LoopRound>,
  /** When it began. */
  startedAt: Timestamp,
  /** When it was over. */
  endedAt: Timestamp | null,
};

/** How a loop stands. */
export type LoopState = "running" | "success" | "failed" | "escalated";

/** A diagnostic with its line and column instead of bytes. */
export type Mistake = {
  /** The kind. */
  code: MistakeCode,
  /** How bad it is. */
  severity: MistakeSeverity,
  /** What is wrong. */
  message: string,
  /** The line, from 1. */
  line: number,
  /** The column in characters, from 1. */
  column: number,
  /** What to write instead. */
  hint?: string,
};

/** What kind of thing is wrong. */
export type MistakeCode = "TASKS_NOT_FOUND" | "PARSE_FAIL" | "MISSING_DEP" | "CIRCULAR_DEP" | "UNCLEAR";

/** Whether a plan can be run in spite of it. */
export type MistakeSeverity = "error" | "warning";

/** Who decides what starts. */
export type Mode = "automatic" | "thin";

/** A change of the plan file that somebody may take. */
export type OfferId = string;

/** Files that two unfinished tasks both changed. */
export type OverlapRow = {
  /** The two tasks, in order. */
  tasks: [TaskId, TaskId],
  /** The files, sorted; the first of them where there are many. */
  files: Array<string>,
  /** How many there are. */
  nFiles: number,
  /** Since when they have something in common. */
  sinceAt: Timestamp,
  /** Since when it is these files. */
  changedAt: Timestamp,
};

/** How a session waits. */
export type ParkMode = "hot" | "frozen" | "cold";

/** Whoever must do something before something else goes on. */
export type Party = { "type": "person" }
| { "type": "orchestrator" }
| { "type": "operator" }
| { "type": "agent",
  /** Who; none where its session is not known. */
  agent: AgentName | null,
}
| { "type": "clock",
  /** Until when. */
  until: Timestamp,
}
| { "type": "jangdan" };

/** A question without an answer. */
export type PendingQuestion = {
  /** The question. */
  id: QuestionId,
  /** What is asked. */
  text: string,
  /** The same in Korean, where Jangdan itself asks. */
  korean: string | null,
};

/** What kind of act an agent wants to do. */
export type PermissionKind = "edit" | "run" | "read" | "fetch" | "other";

/** What an agent wants to do. */
export type PermissionWish = {
  /** The prompt's own id, by which the agent knows the answer. */
  prompt: string,
  /** What kind of act it is. */
  kind: PermissionKind,
  /** What it acts on: a path, a command line, an address; several paths have a line each. */
  subject: string,
  /** Whether a path lies below the agent's worktree, as the driver found out. */
  inWorktree: boolean,
  /** What the agent says about it. */
  detail?: string | null,
};

/** A group of tasks with a gate at its end. */
export type PhaseRow = {
  /** The number, as people count. */
  number: number,
  /** The name, or an empty text. */
  name: string,
  /** How it stands. */
  state: PhaseState,
  /** How its gate stands. */
  gate: GateState,
  /** Which time it is at its gate; 0 where it was not yet. */
  round: number,
  /** The phases that it comes after. */
  after: Array<number>,
  /** Those of them whose gates have not passed. */
  waitsFor: Array<number>,
  /** The session that leads it. */
  session: SessionId | null,
  /** How many tasks there are. */
  nTasks: number,
  /** How many of them are in each state. */
  tasks: TaskCounts,
  /** What was used. */
  used: Used,
  /** What may be used. */
  budgets: Array<Budget>,
  /** When its first task started. */
  startedAt: Timestamp | null,
  /** When it was approved or called off. */
  endedAt: Timestamp | null,
  /** When it was landed. */
  landedAt: Timestamp | null,
};

/** How a phase stands. */
export type PhaseState = "waiting" | "running" | "paused" | "atGate" | "approved" | "landed" | "cancelled";

/** The place of a task. */
export type PlacedTask = {
  /** The task. */
  task: TaskId,
  /** Its left side. */
  x: number,
  /** Its upper side. */
  y: number,
  /** Whether it is on the longest way through the plan. */
  isCritical: boolean,
};

/** What a plan file says that a run's plan does not. */
export type PlanChanges = {
  /** Phases that are new. */
  phasesAdded?: Array<PlannedPhase>,
  /** Phases with another name, or that wait for others. */
  phasesChanged?: Array<PlannedPhase>,
  /** Tasks that are new. */
  added?: Array<PlannedTask>,
  /** Tasks that are gone, or that are ticked. */
  removed?: Array<TaskId>,
  /** Tasks that were gone or ticked, and are to be done after all. */
  restored?: Array<ChangedTask>,
  /** Tasks about which something else is said. */
  changed?: Array<ChangedTask>,
  /** What is different too, and comes too late for the task as it is now. */
  kept?: Array<KeptTask>,
};

/** A plan of a project. */
export type PlanContent = {
  /** From the project's folder on. */
  path: string,
  /** What is in it. */
  text: string,
};

/** One thing that a plan says about a task. */
export type PlanField = "phase" | "title" | "text" | "acceptance" | "dependsOn" | "external" | "agent" | "tester" | "touches" | "verify" | "timeout" | "priority" | "complexity" | "budget" | "worktree" | "status";

/** A file that looks like a plan. */
export type PlanFile = {
  /** From the project's folder on. */
  path: string,
  /** How large it is. */
  bytes: number,
};

/** A format of plan files. */
export type PlanFormat = "taskmaster" | "tasks-md" | "checklist";

/** Something that is wrong with a plan, in its place. */
export type PlanMistake = {
  /** What kind of mistake it is. */
  code: string,
  /** Whether the plan can't be run with it. */
  severity: PlanMistakeSeverity,
  /** What is wrong. */
  message: string,
  /** The line, from 1. */
  line: number,
  /** The column in characters, from 1. */
  column: number,
  /** What to write instead. */
  hint?: string,
};

/** How bad a mistake is. */
export type PlanMistakeSeverity = "error" | "warning";

/** What a plan file says that the run's plan does not. */
export type PlanOfferRow = {
  /** The offer. */
  id: OfferId,
  /** What became of it. */
  state: PlanOfferState,
  /** What is different. */
  changes: PlanChanges,
  /** Why it could not be taken when it was offered. */
  problem: string | null,
  /** When it was seen. */
  offeredAt: Timestamp,
  /** When somebody took or left it, or it was replaced. */
  settledAt: Timestamp | null,
  /** Who did. */
  settledBy: Actor | null,
};

/** What became of a change of the plan. */
export type PlanOfferState = "open" | "taken" | "left" | "withdrawn";

/** A plan with what can be said about it. */
export type PlanReport = {
  /** The format, or null where none fits. */
  format: PlanFormat | null,
  /** The plan's title. */
  title: string,
  /** The phases by number. */
  phases: Array<ReadPhase>,
  /** The tasks in the file's order. */
  tasks: Array<ReadTask>,
  /** The longest way by complexity. */
  criticalPath: Array<string>,
  /** The largest number of tasks that an unlimited run would have at once. */
  widest: number,
  /** All that is wrong, in the file's order. */
  diagnostics: Array<Mistake>,
};

/** A plan that is to be run. What else a run needs is found as `jangdan run` finds it: nothing of it is taken from here. */
export type PlanStart = {
  /** The folder of the project, one of `GET /api/projects`. */
  project: string,
  /** One of the project's plans, as `GET /api/plans` lists them; without it there is a `text`. */
  path?: string,
  /** The plan itself. */
  text?: string,
  /** What the text is called. */
  name?: string,
  /** Who begins it. */
  person: string,
  /** Who does what the plan names nobody for: one of `GET /api/agents`. */
  agent?: string,
  /** Whether the plan's optional tasks are done too. */
  optional?: boolean,
  /** Whether all agents work in the project's folder, without worktrees. */
  inPlace?: boolean,
};

/** A run that has begun, and what a person should know of it. */
export type PlanStarted = {
  /** Its name. */
  run: RunId,
  /** What was chosen, and what is not as one would think. */
  notes: Array<string>,
};

/** A plan to be read. */
export type PlanText = {
  /** The name of its file, for people. */
  name: string,
  /** The plan. */
  text: string,
};

/** One phase of a run. */
export type PlannedPhase = {
  /** The number, as people count. */
  number: number,
  /** The name, or an empty text. */
  name: string,
  /** The phases whose gates must have passed before one of its tasks may start. */
  after: Array<number>,
  /** The command that its gate runs; without one the project's. */
  verify?: string | null,
  /** Globs of what the phase is to leave behind. */
  artefacts?: Array<string>,
  /** What all its tasks together may cost. */
  budgets?: Array<Budget>,
};

/** One piece of work of a run. */
export type PlannedTask = {
  /** The id. */
  id: TaskId,
  /** The phase it belongs to. */
  phase: number,
  /** What is to be done, in one line. */
  title: string,
  /** The whole description, in Markdown. */
  text?: string,
  /** What must hold before it counts as done. */
  acceptance?: Array<string>,
  /** The tasks that it waits for. */
  dependsOn?: Array<TaskId>,
  /** What else it waits for, until a person marks it met. */
  external?: Array<string>,
  /** Who is to do it; without one the team's worker. */
  agent?: AgentName | null,
  /** Who is to test it. */
  tester?: AgentName | null,
  /** The paths, patterns and locks that no other running task may share. */
  touches?: Array<string>,
  /** The command that proves it; without one the phase's, then the project's. */
  verify?: string | null,
  /** How long it may run; without it the run's. */
  timeoutMs?: number | null,
  /** How urgent it is. */
  priority: Priority,
  /** How large it is. */
  complexity?: Complexity | null,
  /** How long it is thought to take, learned from earlier runs. */
  estimateMs?: number | null,
  /** The memory it needs, in MiB. */
  memoryMib: number,
  /** What it may cost. */
  budget?: Budget | null,
  /** The worktree it asks for; tasks that share one run one after the other. */
  worktree?: string | null,
  /** Whether there is something to do. */
  fromPlan: FromPlan,
};

/** How urgent a task is; a higher one starts first among those that are ready. */
export type Priority = "low" | "normal" | "high" | "critical";

/** What is wrong, and what to do. */
export type Problem = {
  /** What kind of problem it is, in a word for programs. */
  code: string,
  /** The same for people, without the details. */
  title: string,
  /** The status, once more. */
  status: number,
  /** What is wrong here. */
  detail: string,
  /** What to do. */
  hint: string,
  /** The questions that may have been meant, where several wait for an answer. */
  pending?: Array<string>,
  /** What is wrong with a plan, each mistake in its place. */
  mistakes?: Array<PlanMistake>,
};

/** How far a session is. */
export type ProgressRow = {
  /** The session. */
  sessionId: SessionId,
  /** The task it works at. */
  taskId: TaskId | null,
  /** How much is done, from 0 to 1; none where the agent does not know. */
  progress: number | null,
  /** What is being done. */
  currentTask: string | null,
  /** How many steps it said are done. */
  stepsDone: number,
  /** The tokens that the session used. */
  tokensUsed: number,
  /** When one of these was said or reported. */
  updatedAt: Timestamp,
};

/** A project that is known here. */
export type ProjectRow = {
  /** Its name. */
  name: string,
  /** Its folder. */
  folder: string | null,
  /** How many runs it had. */
  nRuns: number,
  /** The last of them. */
  lastRun: RunId | null,
  /** When that began, in milliseconds since 1970. */
  lastStartedAt: Timestamp | null,
};

/** What stands behind a task that is done. */
export type Proof = "checked" | "unchecked" | "waived";

/** How an agent gets at a dependency. Never a value. */
export type Provided = { "type": "environment",
  /** Their names. */
  names: Array<string>,
}
| { "type": "file",
  /** The path. */
  path: string,
}
| { "type": "permission",
  /** Which. */
  granted: boolean,
}
| { "type": "package",
  /** Its name. */
  name: string,
  /** Its version. */
  version?: string | null,
};

/** What a command ran for. */
export type Purpose = "check" | "merge" | "gate";

/** What somebody must answer. */
export type QuestionId = string;

/** What a question is. */
export type QuestionKind = "text" | "selection" | "confirmation" | "permission";

/** What somebody must answer. */
export type QuestionRow = {
  /** The question. */
  id: QuestionId,
  /** The session that waits for the answer. */
  session: SessionId,
  /** Who that is. */
  agent: AgentName | null,
  /** The task; none where it is about the run. */
  task: TaskId | null,
  /** What kind of answer is wanted. */
  kind: QuestionKind,
  /** What is asked, in the words of whoever handed it on last. */
  text: string,
  /** The same in Korean, where Jangdan itself asks. */
  korean: string | null,
  /** What the agent asked, where the orchestrator put it into other words. */
  askedText: string | null,
  /** The offered answers. */
  options: Array<string>,
  /** The answer the agent would take. */
  default: string | null,
  /** What one should know. */
  context: string | null,
  /** Whether the agent can't go on without an answer. */
  required: boolean,
  /** What the agent wants to do, where it asks for permission. */
  permission: PermissionWish | null,
  /** Whether the agent asks in the middle of its turn, which goes on with the answer. */
  isInTurn: boolean,
  /** How it stands. */
  status: QuestionState,
  /** The answer. */
  answer: string | null,
  /** Who gave it. */
  answeredBy: Actor | null,
  /** What somebody wanted to know before they answer. */
  askedBack: Array<AskedBack>,
  /** Why nobody needs the answer any more. */
  withdrawn: string | null,
  /** What waits behind it. */
  holdsUp: HoldsUp,
  /** The chat message that shows it. */
  chat: string | null,
  /** When it was asked. */
  askedAt: Timestamp,
  /** When it reached the person. */
  withPersonAt: Timestamp | null,
  /** When its default is taken, or it becomes an escalation. */
  expiresAt: Timestamp | null,
  /** When it was answered. */
  answeredAt: Timestamp | null,
  /** When the answer reached the session. */
  deliveredAt: Timestamp | null,
};

/** How a question stands. */
export type QuestionState = "asked" | "withOrchestrator" | "pending" | "answered" | "delivered" | "resumed" | "withdrawn" | "expired";

/** One phase of a plan. */
export type ReadPhase = {
  /** The number, as people count. */
  number: number,
  /** The name, or an empty text. */
  name: string,
  /** The phases whose gates must have passed before one of its tasks may start. */
  after: Array<number>,
  /** Its tasks in the file's order. */
  tasks: Array<TaskId>,
  /** The command that proves it, and its tasks that have none of their own. */
  verify?: string,
  /** The patterns of what it is to leave behind. */
  artefacts?: Array<string>,
  /** What all its tasks together may cost. */
  budgets?: Array<Budget>,
};

/** One piece of work. */
export type ReadTask = {
  /** The id as it is written, without the phase that `P1-T1.3` puts before it. */
  id: TaskId,
  /** What is to be done, in one line. */
  title: string,
  /** The phase it belongs to. */
  phase: number,
  /** The tasks of this plan that it waits for, by id. The gates of earlier phases are not repeated here. */
  dependsOn: Array<TaskId>,
  /** What else it waits for, until a person marks it met. */
  external: Array<string>,
  /** Who is to do it. */
  agent: string | null,
  /** Who is to test it. */
  tester: string | null,
  /** Whether there is nothing left to do: done, or cancelled. */
  done: boolean,
  /** Whether it is skipped unless somebody asks for it. */
  optional: boolean,
  /** The whole description, in Markdown. */
  text: string,
  /** What must hold before it counts as done. */
  acceptance: Array<string>,
  /** The paths and patterns that it will change. */
  touches: Array<string>,
  /** The command that proves it. */
  verify: string | null,
  /** How long it may take. */
  timeoutSeconds: number | null,
  /** How urgent it is. */
  priority: Priority,
  /** How large it is. */
  complexity: Complexity | null,
  /** The layer of the system that it belongs to. */
  layer: string | null,
  /** What it may cost. */
  budget: Budget | null,
  /** The worktree it asks for. */
  worktree: string | null,
  /** What it refers to elsewhere: requirements, user stories. */
  references: Array<string>,
  /** The line of the file where it begins, from 1. */
  line: number,
};

/** The proof that a command ran: what, with which outcome, on which tree. */
export type Receipt = {
  /** The command as it was run. */
  command: string,
  /** Its exit status; none where a signal ended it. */
  exitStatus: number | null,
  /** The hash of its output. */
  outputHash: string,
  /** The end of its output, for people and for the agent. */
  outputTail?: string,
  /** The git tree it ran on. */
  tree: string,
  /** When it began. */
  startedAt: Timestamp,
  /** When it ended. */
  finishedAt: Timestamp,
};

/** The proof that a command ran. */
export type ReceiptRow = {
  /** The event that brought it. */
  sequence: Sequence,
  /** Which of that event's receipts it is, from 0. */
  index: number,
  /** What it ran for. */
  purpose: Purpose,
  /** The task. */
  task: TaskId | null,
  /** Which try. */
  attempt: number | null,
  /** The phase, where it ran for a gate. */
  phase: number | null,
  /** Which time it was at its gate. */
  round: number | null,
  /** Whether the command succeeded. */
  passed: boolean,
  /** Whether the work has become another tree since; what counts in the end is the one that was merged. */
  isStale: boolean,
  /** The proof. */
  receipt: Receipt,
};

/** Which way a piece went. */
export type RecordWay = "output" | "error" | "input";

/** A dependency that somebody must provide. */
export type RequestId = string;

/** What somebody must provide. */
export type RequestRow = {
  /** The request. */
  id: RequestId,
  /** The session that waits for it. */
  session: SessionId,
  /** Who that is. */
  agent: AgentName | null,
  /** The task. */
  task: TaskId | null,
  /** What kind of thing is needed. */
  type: DependencyType,
  /** Its name. */
  name: string,
  /** What it is for. */
  description: string,
  /** Whether the task can't be done without it. */
  required: boolean,
  /** What the agent would take instead. */
  default: string | null,
  /** How it stands. */
  status: RequestState,
  /** How the agent gets at it. Never a value. */
  provided: Provided | null,
  /** Whether that is the agent's own default. */
  tookDefault: boolean,
  /** Why it will not come. */
  refused: string | null,
  /** Whether the agent knows. */
  delivered: boolean,
  /** Who provided, refused or skipped it. */
  settledBy: Actor | null,
  /** What waits behind it. */
  holdsUp: HoldsUp,
  /** When it was asked for. */
  askedAt: Timestamp,
  /** When it was provided, refused or skipped. */
  settledAt: Timestamp | null,
  /** When the agent knew. */
  deliveredAt: Timestamp | null,
};

/** How a request stands. */
export type RequestState = "asked" | "provided" | "refused" | "skipped";

/** What an agent delivers to another. */
export type ResultId = string;

/** What an agent delivers to another. */
export type ResultRow = {
  /** The result. */
  id: ResultId,
  /** The session that made it. */
  fromSession: SessionId,
  /** Who that is. */
  from: AgentName | null,
  /** Who gets it. */
  to: AgentName,
  /** The session that got it. */
  toSession: SessionId | null,
  /** What kind of result it is. */
  resultType: ResultType,
  /** The media type of its content. */
  contentType: string,
  /** The result itself. */
  content: string,
  /** How it stands. */
  status: ResultState,
  /** When it was made. */
  createdAt: Timestamp,
  /** When the other got it. */
  deliveredAt: Timestamp | null,
};

/** How a result stands. */
export type ResultState = "pending" | "delivered";

/** What kind of result an agent delivers. */
export type ResultType = "github_issue" | "markdown" | "json" | "file_path" | "message";

/** What an agent is in the team for. */
export type Role = "orchestrator" | "operator" | "worker" | "tester" | "verifier" | "specialist";

/** The type of the rows of each kind, by the kind's name. */
export type RowOf = {
  /** The run itself; there is one. */
  run: RunRow,
  /** A phase. */
  phase: PhaseRow,
  /** A task, as far as it changes. */
  task: TaskRow,
  /** What the plan says about a task. */
  taskDetail: TaskDetailRow,
  /** One try at a task. */
  attempt: AttemptRow,
  /** A member of the team. */
  agent: AgentRow,
  /** A living agent process, or a level that Jangdan plays. */
  session: SessionRow,
  /** How far a session is with its task. */
  progress: ProgressRow,
  /** What somebody must answer. */
  question: QuestionRow,
  /** What somebody must provide. */
  request: RequestRow,
  /** One agent calling another. */
  invocation: InvocationRow,
  /** What an agent delivers to another. */
  result: ResultRow,
  /** The line between two sessions. */
  channel: ChannelRow,
  /** What one session says to another. */
  directMessage: DirectMessageRow,
  /** A worker and a tester at one task. */
  feedbackLoop: LoopRow,
  /** A problem handed upward. */
  escalation: EscalationRow,
  /** The check and approval at the end of a phase. */
  gate: GateRow,
  /** A point that a task can go back to. */
  checkpoint: CheckpointRow,
  /** The proof that a command ran. */
  receipt: ReceiptRow,
  /** Files that two unfinished tasks both changed. */
  overlap: OverlapRow,
  /** One utterance in a task's conversation. */
  turn: TurnRow,
  /** One utterance in the chat of the run. */
  chat: ChatRow,
  /** What happened, a line for each event that a person would want. */
  timeline: TimelineRow,
  /** A change of the plan file that may be taken. */
  planOffer: PlanOfferRow,
  /** What waits for the person. */
  inbox: InboxRow,
  /** What was used, and by whom. */
  usage: UsageRow,
};

/** Names one run: lower-case letters and digits, so that it can stand in a branch, a path and a URL. */
export type RunId = string;

/** One execution of a plan. */
export type RunRow = {
  /** The run. */
  id: RunId,
  /** The project. */
  project: string,
  /** What the plan calls itself. */
  title: string,
  /** How it stands. */
  status: RunState,
  /** Who decides what starts. */
  mode: Mode,
  /** How many tasks may run at once. */
  slots: number,
  /** How many tasks there are. */
  nTasks: number,
  /** How many of them are in each state. */
  tasks: TaskCounts,
  /** For whom it waits, and how often. */
  waitsFor: RunWaits,
  /** What was used. */
  used: Used,
  /** What failed or was cancelled, when it ended. */
  failed: Array<TaskId>,
  /** What never started because of that. */
  waiting: Array<TaskId>,
  /** When it began. */
  startedAt: Timestamp,
  /** When it ended. */
  endedAt: Timestamp | null,
};

/** The rows of a run by their kinds, and the place in the log that they stand for. */
export type RunRows = {
  /** The place among all runs; listening from here on misses nothing. */
  position: number,
  /** The place of the last event in the run. */
  sequence: number,
  /** The rows of the kinds that were asked for. */
  rows: { [K in keyof RowOf]?: Array<RowOf[K]> },
};

/** How a run stands. */
export type RunState = "running" | "paused" | "done" | "failed" | "cancelled";

/** For how many things a run waits, by whom they are with. */
export type RunWaits = {
  /** What is in the person's inbox. */
  person: number,
  /** What the orchestrator has in hand. */
  orchestrator: number,
  /** What the leaders of phases have in hand. */
  operators: number,
  /** Calls that agents have in hand. */
  agents: number,
};

/** One utterance of a task's conversation. */
export type Said = {
  /** Its place in the conversation, from 0. */
  index: number,
  /** When, in milliseconds since 1970. */
  at: Timestamp,
  /** Who speaks. */
  by: By,
  /** The name of the agent or person. */
  name: string | null,
  /** The session that speaks or is spoken to. */
  session: SessionId,
  /** What it is. */
  kind: SaidKind,
  /** The question that it asks or answers. */
  question: QuestionId | null,
  /** What is said. */
  text: string,
  /** The tools that were used meanwhile, in their order: the last of them. */
  tools: Array<UsedTool>,
  /** How many tools were used before those, and are not kept. */
  nToolsLeftOut: number,
  /** Whether the turn was cut off, because its process ended. */
  isCut: boolean,
};

/** What an utterance is. */
export type SaidKind = "text" | "prompt" | "question" | "answer" | "notice";

/** The time of a run. */
export type Schedule = {
  /** When the run began. */
  startAt: Timestamp,
  /** The moment that it stands for. */
  nowAt: Timestamp,
  /** When everything is thought to be done; none where nothing is to come, or something can't. */
  endAt: Timestamp | null,
  /** How many tasks are to come that nobody has an estimate for, so that they count by their size. */
  nGuessed: number,
  /** How many tasks can't start by themselves: something that they wait for failed or was called off. */
  nStuck: number,
  /** The bars, by task and time. */
  bars: Array<Bar>,
};

/** Who used it. */
export type Scope = { "type": "run" }
| { "type": "phase", "id": number }
| { "type": "agent", "id": AgentName }
| { "type": "task", "id": TaskId };

/** A place in the log. The first event has 1; 0 stands before it. */
export type Sequence = number;

/** One living agent process, or a level of the tree that Jangdan plays itself. */
export type SessionId = string;

/** A piece of what went to and fro: lines, or a part of one. */
export type SessionRecord = {
  /** Which way it went. */
  way: RecordWay,
  /** The number of the input; none for what the process wrote. */
  input?: number,
  /** The output byte at which it begins, or before which it was typed. */
  offset: number,
  /** When, in milliseconds since 1970. */
  at: Timestamp,
  /** What, as it is. */
  text: string,
};

/** Some of what went to and fro between a process and whoever speaks with it. */
export type SessionRecords = {
  /** Which process of the session it is, from 1. */
  process: number,
  /** Whether it is on a terminal; otherwise it is spoken with in its own protocol. */
  hasTerminal: boolean,
  /** The first output byte that is still kept. */
  first: number,
  /** The output byte at which the records begin. */
  offset: number,
  /** The output byte behind them. */
  next: number,
  /** Whether the process has ended, so that nothing follows what is there. */
  isOver: boolean,
  /** The records, in order. */
  records: Array<SessionRecord>,
};

/** One session of the tree. */
export type SessionRow = {
  /** The session. */
  id: SessionId,
  /** The one above it. */
  parent: SessionId | null,
  /** How deep it is in the tree: 0 build, 1 operator, 2 worker. */
  depth: number,
  /** What it is there for. */
  role: Role,
  /** Who it is; none where Jangdan plays it. */
  agent: AgentName | null,
  /** How it stands. */
  state: SessionState,
  /** How it waits, where it is parked. */
  park: ParkMode | null,
  /** Since when it stands so. */
  stateSinceAt: Timestamp,
  /** The task it works at, or did last. */
  task: TaskId | null,
  /** The phase it leads or judges. */
  phase: number | null,
  /** The session whose memory it took over. */
  resumes: SessionId | null,
  /** The agent's own session id. */
  agentSession: string | null,
  /** Whether it was told to end. */
  dismissed: boolean,
  /** Its exit status, when it ended. */
  exitStatus: number | null,
  /** What is known, where it was lost. */
  lost: string | null,
  /** What was used. */
  used: Used,
  /** The model that it said it uses. */
  model: string | null,
  /** How full its context window is, from 0 to 1000. */
  contextPermille: number | null,
  /** When it was opened. */
  startedAt: Timestamp,
  /** When it was over. */
  endedAt: Timestamp | null,
};

/** How a session stands. */
export type SessionState = "starting" | "active" | "waitingInput" | "parked" | "ended" | "lost";

/** How bad it is. */
export type Severity = "low" | "medium" | "high" | "critical";

/** Who speaks in a task's conversation. */
export type Speaker = "orchestrator" | "agent";

/** A run that has begun. */
export type Started = {
  /** Its name. */
  run: RunId,
};

/** Who serves. */
export type Status = {
  /** The version of Jangdan. */
  version: string,
  /** The process. */
  pid: number,
  /** Since when, in milliseconds since 1970. */
  startedAt: Timestamp,
  /** The data directory. */
  data: string,
  /** Where browsers find it; none where it listens on its socket alone. */
  address?: string | null,
  /** The name by which the person at this machine is known. */
  person: string,
};

/** How the server is to end. */
export type StopWish = {
  /** What becomes of the agents: `leave` lets them work on, `end` ends their processes. */
  agents: AfterStop,
};

/** How many tasks are in each state. */
export type TaskCounts = {
  /** Waiting. */
  waiting: number,
  /** Ready. */
  ready: number,
  /** Running. */
  running: number,
  /** Blocked. */
  blocked: number,
  /** Checking. */
  checking: number,
  /** Merging. */
  merging: number,
  /** Done. */
  done: number,
  /** Failed. */
  failed: number,
  /** Skipped. */
  skipped: number,
  /** Cancelled. */
  cancelled: number,
};

/** What is to be done, and what must hold. */
export type TaskDetailRow = {
  /** The task. */
  id: TaskId,
  /** The whole description, in Markdown. */
  text: string,
  /** What must hold before it counts as done. */
  acceptance: Array<string>,
  /** The tasks that it comes after. */
  dependsOn: Array<TaskId>,
  /** What else it waits for, until a person marks it met. */
  external: Array<string>,
  /** The paths, patterns and locks that no other running task may share. */
  touches: Array<string>,
  /** The command that proves it. */
  verify: string | null,
  /** How long it may run. */
  timeoutMs: number | null,
  /** How large it is. */
  complexity: Complexity | null,
  /** How long it is thought to take. */
  estimateMs: number | null,
  /** The memory it needs, in MiB. */
  memoryMib: number,
  /** The worktree it asks for. */
  worktree: string | null,
  /** What its agent reported when it said that it was done. */
  reported: { [key in string]: string },
};

/** Names one task of a plan, e.g. `T1.3`, `T001` or `1.2`. */
export type TaskId = string;

/** What a task's last receipt says. */
export type TaskReceipt = {
  /** The event that brought it; names its row. */
  sequence: Sequence,
  /** What it ran for. */
  purpose: Purpose,
  /** Whether the command succeeded. */
  passed: boolean,
  /** Whether the work has become another tree since. */
  isStale: boolean,
};

/** One piece of work. */
export type TaskRow = {
  /** The task. */
  id: TaskId,
  /** The phase it belongs to. */
  phase: number,
  /** What is to be done, in one line. */
  title: string,
  /** How it stands. */
  state: TaskState,
  /** Since when. */
  stateSinceAt: Timestamp,
  /** Why it does not go on, and on whom that waits. */
  blocked: Array<Blocked>,
  /** What it waits for before it can start, the first of it. */
  waitsFor: Array<WaitsFor>,
  /** How much that is. */
  nWaitsFor: number,
  /** How urgent it is. */
  priority: Priority,
  /** Who does it, or is to; without one the team's worker. */
  agent: AgentName | null,
  /** Who tests it. */
  tester: AgentName | null,
  /** The session that works at it, or did last. */
  session: SessionId | null,
  /** Which try it is; 0 before the first. */
  attempt: number,
  /** How much is done, from 0 to 1; none where nobody knows. */
  progress: number | null,
  /** What is being done. */
  step: string | null,
  /** The question that it waits for. */
  question: PendingQuestion | null,
  /** What stands behind it, when it is done. */
  proof: Proof | null,
  /** What its last check said, and whether that still holds. */
  receipt: TaskReceipt | null,
  /** Why it failed, or why its last try did. */
  failure: Failure | null,
  /** What was used. */
  used: Used,
  /** What may be used. */
  budget: Budget | null,
  /** When its first try began. */
  startedAt: Timestamp | null,
  /** When it was over. */
  endedAt: Timestamp | null,
};

/** How a task stands. */
export type TaskState = "waiting" | "ready" | "running" | "blocked" | "checking" | "merging" | "done" | "failed" | "skipped" | "cancelled";

/** All that is known of a task. */
export type TaskWhole = {
  /** Its row. */
  task: TaskRow,
  /** What the plan says. */
  detail: TaskDetailRow | null,
  /** Its tries. */
  attempts: Array<AttemptRow>,
  /** The proofs that its checks ran. */
  receipts: Array<ReceiptRow>,
  /** The points that it can go back to. */
  checkpoints: Array<CheckpointRow>,
  /** Its questions. */
  questions: Array<QuestionRow>,
  /** What it asked for. */
  requests: Array<RequestRow>,
  /** Its problems on their way up. */
  escalations: Array<EscalationRow>,
  /** Its rounds of implementing and testing. */
  loops: Array<LoopRow>,
};

/** What a terminal tells over a WebSocket. */
export type TerminalTold = { "type": "snapshot",
  /** The byte up to which it is drawn. */
  offset: number,
  /** Characters in a line. */
  columns: number,
  /** Lines. */
  rows: number,
  /** What to write onto an empty terminal of that size. */
  text: string,
}
| { "type": "output",
  /** The byte at which it begins. */
  offset: number,
  /** What. */
  text: string,
}
| { "type": "resized",
  /** Characters in a line. */
  columns: number,
  /** Lines. */
  rows: number,
}
| { "type": "ended" }
| { "type": "problem" } & Problem;

/** What a terminal takes over a WebSocket. */
export type TerminalWish = { "type": "input",
  /** The keys. */
  text: string,
}
| { "type": "resize",
  /** Characters in a line. */
  columns: number,
  /** Lines. */
  rows: number,
};

/** One thing that is not as it should be. */
export type TestFailure = {
  /** The test. */
  name: string,
  /** What it wanted. */
  expected?: string,
  /** What it got. */
  actual?: string,
  /** Where it happened. */
  trace?: string,
  /** How it could be mended. */
  suggestedFix?: string,
};

/** How many tests there were, and how they went. */
export type TestMetrics = {
  /** In all. */
  total: number,
  /** Passed. */
  passed: number,
  /** Failed. */
  failed: number,
  /** Not run. */
  skipped: number,
  /** How long they took. */
  seconds: number,
};

/** One line. */
export type TimelineRow = {
  /** The event. */
  sequence: Sequence,
  /** The name of its kind. */
  kind: string,
  /** Who made it happen. */
  actor: Actor,
  /** What happened. */
  text: string,
  /** The same in Korean; rows of older logs have none. */
  korean: string | null,
  /** The task it is about. */
  task: TaskId | null,
  /** The phase it is about. */
  phase: number | null,
  /** The session it is about. */
  session: SessionId | null,
  /** The question it is about. */
  question: QuestionId | null,
  /** What else it is about, by its id: a request, a call, an escalation and so on. */
  id: string | null,
  /** When. */
  happenedAt: Timestamp,
};

/** A moment, in milliseconds since 1970 in UTC. */
export type Timestamp = number;

/** What a tool printed: its beginning and its end. */
export type ToolOutput = {
  /** All of it, or its beginning. */
  head: string,
  /** How many bytes between beginning and end are not kept. */
  nBytesLeftOut?: number,
  /** Its end, where something is left out. */
  tail?: string,
};

/** How far a tool is. */
export type ToolStatus = "running" | "done" | "failed";

/** One use of a tool. */
export type ToolUse = {
  /** How many lines of the turn's words come before it. */
  line: number,
  /** What is done. A command may have several lines. */
  title: string,
  /** What came of it. */
  status: ToolStatus,
  /** What it printed, where it printed anything. */
  output?: ToolOutput,
};

/** What an utterance is. */
export type TurnKind = "text" | "step" | "prompt" | "question" | "answer" | "askBack" | "notice";

/** One utterance. */
export type TurnRow = {
  /** The task. */
  task: TaskId,
  /** Its place in the conversation, from 0. */
  index: number,
  /** Who speaks. */
  role: Speaker,
  /** What it is. */
  kind: TurnKind,
  /** Which agent that is; none where Jangdan plays the orchestrator. */
  agent: AgentName | null,
  /** The session that speaks or is spoken to. */
  session: SessionId,
  /** What is said. */
  content: string,
  /** The same in Korean, where Jangdan itself says it. */
  korean: string | null,
  /** The tools that were used meanwhile. */
  tools?: TurnTools,
  /** Whether the turn was cut off, because its process ended. */
  isCut?: boolean,
  /** The question that it asks, hands on or answers. */
  question: QuestionId | null,
  /** When. */
  saidAt: Timestamp,
};

/** The tools of one turn, in the order in which they were called. */
export type TurnTools = {
  /** The last of them. */
  uses: Array<ToolUse>,
  /** How many came before those and are not kept. */
  nLeftOut?: number,
};

/** A line to be typed. */
export type Typed = {
  /** The line, without its end. */
  text: string,
};

/** What was used by one of them. */
export type UsageRow = {
  /** Who used it. */
  scope: Scope,
  /** Tokens that went in. */
  inputTokens: number,
  /** Tokens that came out. */
  outputTokens: number,
  /** Tokens that went in and were known already. */
  cachedTokens: number,
  /** The cost in millionths of a US dollar. */
  costMicros: number,
  /** The limit that was set last, where one was raised. */
  raised: Budget | null,
};

/** What was used, in short. */
export type Used = {
  /** Tokens that count against a budget. */
  tokens: number,
  /** The cost in millionths of a US dollar. */
  costMicros: number,
};

/** One use of a tool. */
export type UsedTool = {
  /** How many lines of the text come before it. */
  line: number,
  /** What is done. */
  title: string,
  /** What came of it. */
  status: ToolStatus,
  /** What it printed, or the beginning of that. */
  output: string | null,
  /** How many bytes of the output are not kept. */
  nBytesLeftOut: number,
  /** The end of the output, where something before it is not kept. */
  outputEnd: string | null,
};

/** One thing that a task waits for. */
export type WaitsFor = { "type": "task",
  /** Which. */
  task: TaskId,
  /** Whether that one failed or was called off, so that somebody must do something. */
  failed: boolean,
}
| { "type": "phase",
  /** Which. */
  phase: number,
}
| { "type": "external",
  /** Its name. */
  name: string,
};

/** One wish. Who wishes stands beside it. */
export type Wish = "pauseRun" | "continueRun" | "cancelRun" | { "pausePhase": number }
| { "continuePhase": number }
| { "cancelPhase": number }
| { "pauseTask": TaskId }
| { "continueTask": TaskId }
| { "cancelTask": TaskId }
| { "retryTask": {
    /** The task. */
    task: TaskId,
    /** Advice. */
    hint?: string | null,
  } }
| { "skipTask": TaskId }
| { "prioritizeTask": {
    /** The task. */
    task: TaskId,
    /** How urgent. */
    priority: Priority,
  } }
| { "reassignTask": {
    /** The task. */
    task: TaskId,
    /** Who. */
    agent: AgentName,
  } }
| { "tellTask": {
    /** The task. */
    task: TaskId,
    /** What. */
    text: string,
  } }
| { "rewindTask": {
    /** The task. */
    task: TaskId,
    /** Where to. */
    checkpoint?: CheckpointId | null,
  } }
| { "makeCheckpoint": TaskId }
| { "addTask": PlannedTask }
| { "addDependency": {
    /** The one that is waited for. */
    earlier: TaskId,
    /** The one that waits. */
    later: TaskId,
  } }
| { "removeDependency": {
    /** The one that was waited for. */
    earlier: TaskId,
    /** The one that waited. */
    later: TaskId,
  } }
| { "markMet": {
    /** Its name. */
    name: string,
  } }
| { "takePlan": {
    /** The offer that was seen; the file may have changed again since. */
    offer: OfferId,
  } }
| { "leavePlan": {
    /** The offer that was seen. */
    offer: OfferId,
  } }
| { "answer": {
    /** Which; may be left out where a task is named that has exactly one. */
    question?: QuestionId | null,
    /** The task whose question it is. */
    task?: TaskId | null,
    /** The answer. */
    answer: string,
    /** How long it holds, where it is about a permission. */
    keep?: Keep,
  } }
| { "askBack": {
    /** The question. */
    question: QuestionId,
    /** What is not clear. */
    text: string,
  } }
| { "chat": {
    /** What. */
    text: string,
    /** Whether it is talk whatever waits, never an answer: a question may come while somebody writes. */
    talkOnly?: boolean,
  } }
| { "provide": {
    /** The request. */
    request: RequestId,
    /** How the agent gets at it. */
    provided: Provided,
  } }
| { "refuse": {
    /** The request. */
    request: RequestId,
    /** Why not. */
    reason: string,
  } }
| { "skipRequest": RequestId }
| { "approveGate": {
    /** The phase. */
    phase: number,
    /** A word about it. */
    note?: string | null,
  } }
| { "rejectGate": {
    /** The phase. */
    phase: number,
    /** Why not. */
    reason: string,
    /** The tasks that are to be done again. */
    tasks?: Array<TaskId>,
  } }
| { "resolve": {
    /** The escalation. */
    escalation: EscalationId,
    /** What. */
    action: Action,
    /** A word about it. */
    note?: string | null,
  } };

/** What a person wishes. */
export type WishBody = {
  /** Who. */
  person: string,
  /** What: the name of the wish alone, or with what it is about. */
  wish: Wish,
};

/** A piece of what a process wrote. */
export type Written = {
  /** Which process of the session it is, from 1. */
  process: number,
  /** The byte at which the piece begins. */
  offset: number,
  /** The byte at which the next one does. */
  next: number,
  /** The piece, with all that a terminal would obey. */
  text: string,
  /** Whether the process has ended, so that nothing follows what is there. */
  isOver: boolean,
};
