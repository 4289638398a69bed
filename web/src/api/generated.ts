/**
 * What the server says and understands, made from its own types by `cargo xtask types`. Not edited by hand.
 *
 * Times are milliseconds since 1970. What can be missing is `null`, or left out where there is a question mark.
 */

/** Confirms that a command was carried out and is durable. */
export type Accepted = {
  /** The place of its last event in the run. */
  sequence: Sequence,
};

/** Originator of a command or an event. */
export type Actor = string;

/** What an agent does at the moment. */
export type AgentActivity = { "type": "text",
  /** The part. */
  text: string,
}
| { "type": "tool",
  /** The agent's own id of the call. */
  id: string,
  /** Short description of the call. */
  title: string,
  /** Progress of the call. */
  status: ToolStatus,
}
| { "type": "plan",
  /** Text and status (`waiting`, `running` or `done`) of each step. */
  steps: Array<[string, string]>,
}
| { "type": "warning",
  /** Description of the problem. */
  text: string,
};

/** Name of an agent in the team: letters of any script, digits, `_`, `-` and `.`. */
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
  used: UsageTotals,
  /** Where it asked more than people like, the last time. */
  manyQuestions: ManyQuestions | null,
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
  originalText: string | null,
  /** The offered answers. */
  options: Array<string>,
  /** The answer the agent would take. */
  default: string | null,
  /** What one should know. */
  context: string | null,
  /** Whether the agent can't go on without an answer. */
  required: boolean,
  /** What the agent wants to do, where it asks for permission. */
  permission: PermissionRequest | null,
  /** Whether the agent asks in the middle of its turn, which goes on with the answer. */
  isInTurn: boolean,
  /** How it stands. */
  status: QuestionState,
  /** The answer. */
  answer: string | null,
  /** Who gave it. */
  answeredBy: Actor | null,
  /** What somebody wanted to know before they answer. */
  clarifications: Array<Clarification>,
  /** Why nobody needs the answer any more. */
  withdrawalReason: string | null,
  /** What waits behind it. */
  blocks: BlockedWork,
  /** The chat message that shows it. */
  chat: string | null,
  /** When it was asked. */
  askedAt: Timestamp,
  /** When it reached the person. */
  reachedPersonAt: Timestamp | null,
  /** When its default is taken, or it becomes an escalation. */
  expiresAt: Timestamp | null,
  /** When it was answered. */
  answeredAt: Timestamp | null,
  /** When the answer reached the session. */
  deliveredAt: Timestamp | null,
};

export type AttemptFailure = { "type": "reported", reason: string,
}
| { "type": "exited",
  /** `None` if a signal ended it. */
  exitStatus: number | null,
}
| { "type": "lost", reason: string,
}
| { "type": "checks" }
| { "type": "merge", reason: string,
}
| { "type": "error", message: string,
}
| { "type": "markedFailed" };

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
  failure: AttemptFailure | null,
  /** Whether it counts towards the tries a task has. */
  counted: boolean,
  /** When it began. */
  startedAt: Timestamp,
  /** When it was over. */
  endedAt: Timestamp | null,
};

/** How a try stands. */
export type AttemptState = "running" | "done" | "failed" | "dropped";

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

/** Why a task is blocked. It continues when its last reason is gone. */
export type BlockReason = { "type": "question", question: QuestionId,
}
| { "type": "request", request: RequestId,
}
| { "type": "invocation", invocation: InvocationId,
}
| { "type": "approval", phase: number,
}
| { "type": "rateLimited", until: Timestamp,
}
| { "type": "escalated", escalation: EscalationId,
}
| { "type": "paused", by: Actor,
};

/** Work that cannot proceed until a question, request, gate or escalation is settled. */
export type BlockedWork = {
  /** Estimated time on the critical path. */
  timeMs: number, tasks: number,
};

/** Limit in tokens or money, e.g. `200k` tokens or `$2`. */
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

export type ChangedTask = {
  /** The task as in the plan file. */
  task: PlannedTask, fields: Array<PlanField>,
};

/** The direct channel between two sessions. */
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

/** Who speaks in a chat. */
export type ChatAuthor = "person" | "orchestrator" | "system";

/** One utterance about the run. */
export type ChatRow = {
  /** Its place, from 0. */
  index: number,
  /** Who speaks. */
  author: ChatAuthor,
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
  sentAt: Timestamp,
};

export type CheckpointId = string;

export type CheckpointReason = "turnEnd" | "park" | "error" | "failure" | "gate" | "requested";

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
  requestedAt: Timestamp,
  /** When it was there, or could not be made. */
  finishedAt: Timestamp | null,
};

/** How a checkpoint stands. */
export type CheckpointState = "requested" | "made" | "failed";

/** What made a task count as done by its agent. */
export type ClaimSource = "doneMessage" | "turnEnd" | "phaseMarker" | "exit";

/** Something that is not clear about a question. */
export type Clarification = {
  /** Who wants to know. */
  by: Actor,
  /** What. */
  text: string,
  /** When. */
  askedAt: Timestamp,
};

/** Result of removing the finished worktrees of a run. */
export type CleanupReport = {
  /** Tasks whose worktrees were removed. */
  removedTasks: Array<TaskId>,
  /** Tasks whose worktrees are kept, each with the reason. */
  keptTasks: Array<[TaskId, string]>,
  /** Sessions without a task whose worktrees were removed. */
  removedSessions: Array<SessionId>,
  /** Sessions without a task whose worktrees are kept, each with the reason. */
  keptSessions: Array<[SessionId, string]>,
};

/** A command to a run. */
export type Command = "pauseRun" | "continueRun" | "cancelRun" | { "pausePhase": number }
| { "continuePhase": number }
| { "cancelPhase": number }
| { "pauseTask": TaskId }
| { "continueTask": TaskId }
| { "cancelTask": TaskId }
| { "retryTask": { task: TaskId, hint?: string | null,
  } }
| { "skipTask": TaskId }
| { "prioritizeTask": { task: TaskId, priority: Priority,
  } }
| { "reassignTask": { task: TaskId, agent: AgentName,
  } }
| { "sendMessage": { task: TaskId, text: string,
  } }
| { "rewindTask": { task: TaskId, checkpoint?: CheckpointId | null,
  } }
| { "createCheckpoint": TaskId }
| { "addTask": PlannedTask }
| { "addDependency": {
    /** The task that must be done first. */
    earlier: TaskId, later: TaskId,
  } }
| { "removeDependency": { earlier: TaskId, later: TaskId,
  } }
| { "markExternalMet": { name: string,
  } }
| { "applyPlanChange": {
    /** The offer as shown to the user; a newer one is rejected. */
    offer: OfferId,
  } }
| { "ignorePlanChange": { offer: OfferId,
  } }
| { "answer": {
    /** May be omitted if `task` has exactly one pending question. */
    question?: QuestionId | null, task?: TaskId | null, answer: string,
    /** For permissions: how long the answer applies. */
    scope?: PermissionScope,
  } }
| { "requestClarification": { question: QuestionId, text: string,
  } }
| { "chat": { text: string,
    /** Never treat the text as an answer; a question may arrive while the user types. */
    talkOnly?: boolean,
  } }
| { "provide": { request: RequestId, provided: ProvidedResource,
  } }
| { "refuse": { request: RequestId, reason: string,
  } }
| { "skipRequest": RequestId }
| { "approveGate": { phase: number, note?: string | null,
  } }
| { "rejectGate": { phase: number, reason: string,
    /** Tasks to be reworked. */
    tasks?: Array<TaskId>,
  } }
| { "resolve": { escalation: EscalationId, action: EscalationAction, note?: string | null,
  } };

/** A command that a person sends to a run. */
export type CommandRequest = {
  /** Name of the person, recorded as the actor of the events. */
  person: string,
  /** The command: its name alone, or an object with its name and its arguments. */
  command: Command,
};

/** Evidence behind a done task. */
export type CompletionProof = "checked" | "unchecked" | "waived";

/** Size of a task, used for estimates until durations are known. */
export type Complexity = "S" | "M" | "L" | "XL";

/** A key of the configuration. */
export type ConfigKey = {
  /** Full name, such as `park.cold_after`. */
  key: string,
  /** Value; absent if it is not set and has no default. */
  value?: ConfigValue,
  /** Origins of the value. */
  origins: Array<ConfigOrigin>,
  /** Meaning, in one line. */
  about: string,
};

/** Origin of a value. */
export type ConfigOrigin = { "type": "default" }
| { "type": "file",
  /** The path as shown in messages. */
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

export type DependencyType = "api_key" | "env_variable" | "service" | "file" | "permission" | "package";

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

export type DirectType = "result" | "feedback" | "query";

/** What resolves an escalation. */
export type EscalationAction = { "type": "retry", hint?: string | null,
}
| { "type": "reassign", agent: AgentName,
}
| { "type": "skip" }
| { "type": "waive" }
| { "type": "raiseBudget", budget: Budget,
}
| { "type": "markFailed" }
| { "type": "dismiss" };

export type EscalationId = string;

/** Who handles an escalation. It moves up from the worker to the person. */
export type EscalationLevel = "worker" | "operator" | "orchestrator" | "person";

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
  suggested: Array<EscalationAction>,
  /** How it stands. */
  status: EscalationState,
  /** Who has it in hand. */
  level: EscalationLevel,
  /** The session that has it in hand. */
  levelSession: SessionId | null,
  /** What was done; nothing where its cause went away. */
  action: EscalationAction | null,
  /** A word about it. */
  note: string | null,
  /** Who settled it. */
  resolvedBy: Actor | null,
  /** What waits behind it. */
  blocks: BlockedWork,
  /** When it was raised. */
  createdAt: Timestamp,
  /** When it was settled. */
  resolvedAt: Timestamp | null,
};

/** How an escalation stands. */
export type EscalationState = "open" | "resolved";

export type EscalationType = "general" | "blocked" | "decision" | "test_failure" | "token_exhausted" | "timeout" | "conflict" | "dependency" | "quality" | "protocol";

/** Results of the checks of a gate. */
export type GateReport = { passed: boolean, receipts: Array<Receipt>, artefacts: Array<string>,
  /** Expected artefacts that do not exist. */
  missing: Array<string>,
  /** Tasks that caused the failure, if known. */
  tasks: Array<TaskId>, summary: string,
};

/** One time that a phase was at its gate. */
export type GateRound = {
  /** Which time. */
  round: number,
  /** The verifier's session. */
  verifier: SessionId | null,
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
  approval: PhaseApproval | null,
  /** What waits behind it. */
  blocks: BlockedWork,
  /** When the phase was at its gate for the first time. */
  openedAt: Timestamp,
};

/** How a gate stands. */
export type GateState = "closed" | "checking" | "verifying" | "review" | "approved" | "rework";

/** What is seen of a session this moment; nobody keeps it. */
export type Glimpsed = {
  /** The run. */
  run: RunId,
  /** The session. */
  session: SessionId,
  /** What. */
  what: AgentActivity,
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
  blocks: BlockedWork,
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
  blocks: BlockedWork,
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

/** Result of merging the work of a run into its target branch. */
export type LandReport = { "type": "landed",
  /** Target branch. */
  branch: string,
  /** The new commit of the branch. */
  commit: string,
  /** Its previous commit, if it had one. */
  from: string | null,
  /** Number of commits that the branch gained. */
  nCommits: number,
}
| { "type": "alreadyLanded",
  /** Target branch. */
  branch: string,
}
| { "type": "checkedOut",
  /** Target branch. */
  branch: string,
  /** Working tree that has the branch checked out. */
  path: string,
}
| { "type": "diverged",
  /** Target branch. */
  branch: string,
  /** Current commit of the branch. */
  tip: string,
}
| { "type": "dirty",
  /** Target branch. */
  branch: string,
  /** Changed files. */
  files: Array<string>,
}
| { "type": "notApproved",
  /** The run's own branch, which has the merged tasks. */
  branch: string,
}
| { "type": "noTarget",
  /** The run's own branch. */
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

/** A change that comes too late for a task. */
export type LateTaskChange = { task: TaskId,
  /** Ignored differences; empty if the file no longer contains the task. */
  fields: Array<PlanField>,
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
  login: LoginState,
  /** What to do before it works. */
  missing?: string,
  /** Whether a run can take it as it is. */
  works: boolean,
  /** Whether a run takes it where nobody is named. */
  chosen: boolean,
};

/** Whether an agent is logged in. */
export type LoginState = "in" | "out" | "notNeeded";

/** A feedback loop of implementing and testing one task. */
export type LoopId = string;

/** One round that found failures. */
export type LoopRound = {
  /** Which round. */
  round: number,
  /** What was found. */
  feedback: TestFeedback,
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

/** More questions in one phase than people like. */
export type ManyQuestions = {
  /** The phase. */
  phase: number,
  /** How many there were. */
  nQuestions: number,
};

/** A detected change of the plan file. */
export type OfferId = string;

/** Who decides which task starts next. */
export type OrchestrationMode = "automatic" | "thin";

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

/** How a session waits, from fast to cheap. */
export type ParkMode = "hot" | "frozen" | "cold";

/** One phase of a plan. */
export type ParsedPhase = {
  /** Phase number as written, usually from 1. */
  number: number,
  /** Empty if the phase has none. */
  name: string,
  /** Phases whose gates must pass before its tasks may start. */
  after: Array<number>,
  /** Its task ids in file order. */
  tasks: Array<TaskId>,
  /** Check command of the phase, and of its tasks without a check of their own. */
  verify?: string,
  /** Glob patterns of the files the phase must produce. */
  artefacts?: Array<string>,
  /** Limits for all tasks of the phase together. */
  budgets?: Array<Budget>,
};

/** A task of a plan. */
export type ParsedTask = {
  /** As written, without the phase prefix of `P1-T1.3`. */
  id: TaskId,
  /** One line of text. */
  title: string,
  /** Number of its phase. */
  phase: number,
  /** Ids of tasks in this plan. Gates of earlier phases are not repeated here. */
  dependsOn: Array<TaskId>,
  /** Names of external dependencies; the task waits until a person marks them as met. */
  external: Array<string>,
  /** Name of the agent; `None` uses the configured default. */
  agent: string | null,
  /** Name of the testing agent; `None` uses the configured default. */
  tester: string | null,
  /** True if nothing is left to do: done or cancelled. */
  done: boolean,
  /** Optional tasks are skipped unless requested. */
  optional: boolean,
  /** Full description in Markdown. */
  text: string,
  /** Conditions that must hold before the task counts as done. */
  acceptance: Array<string>,
  /** Paths and glob patterns that the task will change. */
  touches: Array<string>,
  /** Check command that proves the task. */
  verify: string | null,
  /** Time limit of one attempt, in seconds. */
  timeoutSeconds: number | null,
  /** Order among tasks that are ready. */
  priority: Priority,
  /** Size estimate, which sets the weight. */
  complexity: Complexity | null,
  /** Layer of the system, such as `CODE`. */
  layer: string | null,
  /** Limit in tokens or money. */
  budget: Budget | null,
  /** Name of the worktree it requests. */
  worktree: string | null,
  /** Requirements or user stories it refers to. */
  references: Array<string>,
  /** First line in the file, counted from 1. */
  line: number,
};

/** For how many things a run waits, by whom they are with. */
export type PendingCounts = {
  /** What is in the person's inbox. */
  person: number,
  /** What the orchestrator has in hand. */
  orchestrator: number,
  /** What the leaders of phases have in hand. */
  operators: number,
  /** Calls that agents have in hand. */
  agents: number,
};

/** A question without an answer. */
export type PendingQuestion = {
  /** The question. */
  id: QuestionId,
  /** What is asked. */
  text: string,
  /** The same in Korean, where Jangdan itself asks. */
  korean: string | null,
};

export type PermissionKind = "edit" | "run" | "read" | "fetch" | "other";

export type PermissionRequest = {
  /** The agent's own id of the prompt. */
  prompt: string, kind: PermissionKind,
  /** A path, command line or URL; several paths are separated by newlines. */
  subject: string,
  /** Whether all paths are inside the agent's worktree. */
  inWorktree: boolean, detail?: string | null,
};

/** How long a permission decision applies. */
export type PermissionScope = "once" | "task" | "run" | "project";

/** Who let a phase pass. */
export type PhaseApproval = {
  /** Who. */
  by: Actor,
  /** Whether it passed although its checks failed. */
  waived: boolean,
  /** A word about it. */
  note: string | null,
  /** When. */
  approvedAt: Timestamp,
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
  used: UsageTotals,
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

/** How a plan file differs from the plan of a run. */
export type PlanChanges = { phasesAdded?: Array<PlannedPhase>,
  /** Phases whose name or predecessors changed. */
  phasesChanged?: Array<PlannedPhase>, added?: Array<PlannedTask>,
  /** Tasks that were deleted or ticked off. */
  removed?: Array<TaskId>,
  /** Tasks that were deleted or ticked off before, and are open again. */
  restored?: Array<ChangedTask>, changed?: Array<ChangedTask>,
  /** Differences that come too late for tasks in their current state. */
  tooLate?: Array<LateTaskChange>,
};

/** A plan of a project. */
export type PlanContent = {
  /** From the project's folder on. */
  path: string,
  /** What is in it. */
  text: string,
};

/** A diagnostic with line and column instead of byte offsets. */
export type PlanDiagnostic = {
  /** Stable code of the problem. */
  code: PlanDiagnosticCode,
  /** Whether it prevents a run. */
  severity: PlanDiagnosticSeverity,
  /** One line, without a full stop. */
  message: string,
  /** Counted from 1. */
  line: number,
  /** In characters, from 1. */
  column: number,
  /** What to write instead. */
  hint?: string,
};

/** The kind of problem, as a stable machine-readable code. */
export type PlanDiagnosticCode = "TASKS_NOT_FOUND" | "PARSE_FAIL" | "MISSING_DEP" | "CIRCULAR_DEP" | "UNCLEAR";

/** Whether the plan can still be run. */
export type PlanDiagnosticSeverity = "error" | "warning";

/** One attribute of a planned task. */
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
  resolvedAt: Timestamp | null,
  /** Who did. */
  resolvedBy: Actor | null,
};

/** What became of a change of the plan. */
export type PlanOfferState = "open" | "applied" | "ignored" | "withdrawn";

/** A plan with its analysis and diagnostics. */
export type PlanReport = {
  /** Null if no format matches. */
  format: PlanFormat | null,
  /** Empty if the file has none. */
  title: string,
  /** Sorted by phase number. */
  phases: Array<ParsedPhase>,
  /** In file order. */
  tasks: Array<ParsedTask>,
  /** Ids of the longest path by complexity. */
  criticalPath: Array<string>,
  /** Largest number of tasks that can run at the same time. */
  widest: number,
  /** Errors and warnings in file order. */
  diagnostics: Array<PlanDiagnostic>,
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

/** Status of a task in the plan when the run starts. */
export type PlanStatus = "open" | "done" | "skipped";

/** A plan to be read. */
export type PlanText = {
  /** The name of its file, for people. */
  name: string,
  /** The plan. */
  text: string,
};

export type PlannedPhase = { number: number,
  /** Empty if the phase has no name. */
  name: string,
  /** Phases whose gates must pass before a task of this one may start. */
  after: Array<number>,
  /** Check command of the gate; defaults to the project's. */
  verify?: string | null,
  /** Globs of expected artefacts. */
  artefacts?: Array<string>,
  /** Limits for all tasks of the phase together. */
  budgets?: Array<Budget>,
};

export type PlannedTask = { id: TaskId, phase: number, title: string,
  /** Description in Markdown. */
  text?: string,
  /** Acceptance criteria, one per item. */
  acceptance?: Array<string>, dependsOn?: Array<TaskId>,
  /** Dependencies outside the plan, until a user marks them as met. */
  external?: Array<string>,
  /** Defaults to the team's worker. */
  agent?: AgentName | null, tester?: AgentName | null,
  /** Paths, patterns and locks that no other running task may share. */
  touches?: Array<string>,
  /** Check command; defaults to the phase's, then the project's. */
  verify?: string | null,
  /** Defaults to the run's. */
  timeoutMs?: number | null, priority: Priority, complexity?: Complexity | null,
  /** Expected duration, learned from earlier runs. */
  estimateMs?: number | null, memoryMib: number, budget?: Budget | null,
  /** Named worktree; tasks that share one run one after the other. */
  worktree?: string | null, planStatus: PlanStatus,
};

/** Priority of a task; among ready tasks higher priorities start first. */
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

/** How an agent accesses a provided dependency. Never contains a value. */
export type ProvidedResource = { "type": "environment", names: Array<string>,
}
| { "type": "file", path: string,
}
| { "type": "permission", granted: boolean,
}
| { "type": "package", name: string, version?: string | null,
};

export type QuestionId = string;

/** Expected form of the answer. */
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
  originalText: string | null,
  /** The offered answers. */
  options: Array<string>,
  /** The answer the agent would take. */
  default: string | null,
  /** What one should know. */
  context: string | null,
  /** Whether the agent can't go on without an answer. */
  required: boolean,
  /** What the agent wants to do, where it asks for permission. */
  permission: PermissionRequest | null,
  /** Whether the agent asks in the middle of its turn, which goes on with the answer. */
  isInTurn: boolean,
  /** How it stands. */
  status: QuestionState,
  /** The answer. */
  answer: string | null,
  /** Who gave it. */
  answeredBy: Actor | null,
  /** What somebody wanted to know before they answer. */
  clarifications: Array<Clarification>,
  /** Why nobody needs the answer any more. */
  withdrawalReason: string | null,
  /** What waits behind it. */
  blocks: BlockedWork,
  /** The chat message that shows it. */
  chat: string | null,
  /** When it was asked. */
  askedAt: Timestamp,
  /** When it reached the person. */
  reachedPersonAt: Timestamp | null,
  /** When its default is taken, or it becomes an escalation. */
  expiresAt: Timestamp | null,
  /** When it was answered. */
  answeredAt: Timestamp | null,
  /** When the answer reached the session. */
  deliveredAt: Timestamp | null,
};

/** How a question stands. */
export type QuestionState = "asked" | "withOrchestrator" | "pending" | "answered" | "delivered" | "resumed" | "withdrawn" | "expired";

/** Evidence that a command ran: which one, its outcome, and the tree it ran on. */
export type Receipt = { command: string,
  /** `None` if a signal ended it. */
  exitStatus: number | null, outputHash: string, outputTail?: string,
  /** Git tree the command ran on. */
  tree: string, startedAt: Timestamp, finishedAt: Timestamp,
};

/** What a command ran for. */
export type ReceiptPurpose = "check" | "merge" | "gate";

/** The proof that a command ran. */
export type ReceiptRow = {
  /** The event that brought it. */
  sequence: Sequence,
  /** Which of that event's receipts it is, from 0. */
  index: number,
  /** What it ran for. */
  purpose: ReceiptPurpose,
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

/** A dependency request of an agent. */
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
  provided: ProvidedResource | null,
  /** Whether that is the agent's own default. */
  defaultUsed: boolean,
  /** Why it will not come. */
  refusalReason: string | null,
  /** Whether the agent knows. */
  delivered: boolean,
  /** Who provided, refused or skipped it. */
  resolvedBy: Actor | null,
  /** What waits behind it. */
  blocks: BlockedWork,
  /** When it was asked for. */
  askedAt: Timestamp,
  /** When it was provided, refused or skipped. */
  resolvedAt: Timestamp | null,
  /** When the agent knew. */
  deliveredAt: Timestamp | null,
};

/** How a request stands. */
export type RequestState = "asked" | "provided" | "refused" | "skipped";

/** Whoever must do something before something else goes on. */
export type ResponsibleParty = { "type": "person" }
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

/** A result that one agent delivers to another. */
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

export type ResultType = "github_issue" | "markdown" | "json" | "file_path" | "message";

/** The part an agent plays in the team. */
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

/** Id of a run: lower-case letters and digits, usable in branch names, paths and URLs. */
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
  mode: OrchestrationMode,
  /** How many tasks may run at once. */
  slots: number,
  /** How many tasks there are. */
  nTasks: number,
  /** How many of them are in each state. */
  tasks: TaskCounts,
  /** For whom it waits, and how often. */
  waitsFor: PendingCounts,
  /** What was used. */
  used: UsageTotals,
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

/** Position in the log of a run. The first event has 1. */
export type Sequence = number;

/** One agent process, or a built-in level of the session tree. */
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
  lostReason: string | null,
  /** What was used. */
  used: UsageTotals,
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

export type Severity = "low" | "medium" | "high" | "critical";

/** What happens to running sessions when the server stops. */
export type ShutdownMode = "leave" | "end";

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
export type StopRequest = {
  /** What becomes of the agents: `leave` lets them work on, `end` ends their processes. */
  agents: ShutdownMode,
};

/** A reason not to go on. */
export type TaskBlocker = {
  /** The reason. */
  reason: BlockReason,
  /** On whom it waits. */
  on: ResponsibleParty,
  /** Since when. */
  sinceAt: Timestamp,
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

/** Id of a task in a plan, e.g. `T1.3`, `T001` or `1.2`. */
export type TaskId = string;

/** A remark beside the state of a task. */
export type TaskMark = "unchecked" | "waived" | "checkFailed" | "changedSinceCheck";

/** What a task's last receipt says. */
export type TaskReceipt = {
  /** The event that brought it; names its row. */
  sequence: Sequence,
  /** What it ran for. */
  purpose: ReceiptPurpose,
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
  title: string, state: TaskState,
  /** What stands beside the state wherever it is shown. */
  marks: Array<TaskMark>,
  /** Since when. */
  stateSinceAt: Timestamp,
  /** Why it does not go on, and on whom that waits. */
  blocked: Array<TaskBlocker>,
  /** What it waits for before it can start, the first of it. */
  waitsFor: Array<UnmetDependency>,
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
  proof: CompletionProof | null,
  /** What its last check said, and whether that still holds. */
  receipt: TaskReceipt | null,
  /** Why it failed, or why its last try did. */
  failure: AttemptFailure | null,
  /** What was used. */
  used: UsageTotals,
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

/** What a terminal takes over a WebSocket. */
export type TerminalClientMessage = { "type": "input",
  /** The keys. */
  text: string,
}
| { "type": "resize",
  /** Characters in a line. */
  columns: number,
  /** Lines. */
  rows: number,
};

/** What a terminal tells over a WebSocket. */
export type TerminalServerMessage = { "type": "snapshot",
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

export type TestFailure = { name: string, expected?: string, actual?: string, trace?: string, suggestedFix?: string,
};

/** Result of one round of testing. */
export type TestFeedback = { success: boolean, failures: Array<TestFailure>, suggestions: Array<string>, metrics?: TestMetrics,
};

export type TestMetrics = { total: number, passed: number, failed: number, skipped: number, seconds: number,
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

/** Milliseconds since 1970-01-01 UTC. */
export type Timestamp = number;

/** Output of a tool, shortened in the middle. */
export type ToolOutput = {
  /** All of the output, or its beginning. */
  head: string,
  /** Number of bytes omitted between head and tail. */
  nBytesOmitted?: number,
  /** End of the output if something is omitted. */
  tail?: string,
};

export type ToolStatus = "running" | "done" | "failed";

export type ToolUse = {
  /** Number of text lines of the turn before this call. */
  line: number,
  /** May have several lines, e.g. for a shell script. */
  title: string, status: ToolStatus, output?: ToolOutput,
};

/** What an utterance is. */
export type TurnKind = "text" | "step" | "prompt" | "question" | "answer" | "clarification" | "notice";

/** One utterance. */
export type TurnRow = {
  /** The task. */
  task: TaskId,
  /** Its place in the conversation, from 0. */
  index: number,
  /** Who speaks. */
  role: TurnSpeaker,
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
  isInterrupted?: boolean,
  /** The question that it asks, hands on or answers. */
  question: QuestionId | null,
  /** When. */
  sentAt: Timestamp,
};

/** Who speaks in a task's conversation. */
export type TurnSpeaker = "orchestrator" | "agent";

/** Tool calls of one turn, in order. */
export type TurnTools = { uses: Array<ToolUse>,
  /** Number of earlier calls that are not stored. */
  nOmitted?: number,
};

/** A line to be typed. */
export type Typed = {
  /** The line, without its end. */
  text: string,
};

/** One thing that a task waits for. */
export type UnmetDependency = { "type": "task",
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

/** What was used by one of them. */
export type UsageRow = {
  /** Who used it. */
  scope: UsageScope,
  /** Tokens that went in. */
  inputTokens: number,
  /** Tokens that came out. */
  outputTokens: number,
  /** Tokens that went in and were known already. */
  cachedTokens: number,
  /** The cost in millionths of a US dollar. */
  costMicros: number,
  /** The limit that was set last, where one was raised. */
  raisedBudget: Budget | null,
};

/** Who used it. */
export type UsageScope = { "type": "run" }
| { "type": "phase", "id": number }
| { "type": "agent", "id": AgentName }
| { "type": "task", "id": TaskId };

/** What was used, in short. */
export type UsageTotals = {
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
