//! Every action that an escalation offers, for every cause, and what it does.
//!
//! Each case is a scenario that raises `e_1`. Its actions must be exactly those that the run offers, and each of them must
//! be accepted, resolve the escalation and have its effect.

use crate::{open_escalation, run_scenario};

/// What each action does to an escalated task on which `T2` depends.
const TASK_ACTIONS: &[(&str, &str)] = &[
    ("retry", "TaskStarted T1\n  T1 is running"),
    ("skip", "TaskSkipped T1\n  T2 is running"),
    ("mark as failed", "TaskFailed T1\n  T2 is waiting"),
];

struct EscalationCase {
    cause: &'static str,
    escalation: &'static str,
    /// Team, tasks and settings; `T1` and `T2 after T1` if empty.
    given: &'static str,
    when: &'static str,
    /// Actions of a task, as in [`TASK_ACTIONS`].
    of_task: &'static [&'static str],
    /// Other actions, or with another result.
    other: &'static [(&'static str, &'static str)],
}

const CASES: &[EscalationCase] = &[
    EscalationCase {
        cause: "repeated failure",
        escalation: "blocked high",
        given: "",
        when: "T1 prints: FAIL:T1:one\n  T1 prints: FAIL:T1:two\n  T1 prints: FAIL:T1:three",
        of_task: &["retry", "skip", "mark as failed"],
        other: &[],
    },
    EscalationCase {
        cause: "repeated failure with another agent in the team",
        escalation: "blocked high",
        given: "team: Coder worker, Writer worker\n  T1, agent Coder\n  T2 after T1",
        when: "T1 prints: FAIL:T1:one\n  T1 prints: FAIL:T1:two\n  T1 prints: FAIL:T1:three",
        of_task: &["retry", "skip", "mark as failed"],
        other: &[("reassign to Writer", "TaskStarted T1 agent=Writer\n  T1 is running")],
    },
    EscalationCase {
        cause: "an error that the user must know",
        escalation: "general high",
        given: "",
        when: "T1 ends its turn without access: Please sign in",
        of_task: &["retry", "skip", "mark as failed"],
        other: &[("waive", "LimitWaived general\n  T1 is running\n  T1 receives Resume")],
    },
    EscalationCase {
        cause: "an error that fails its task",
        escalation: "blocked high",
        given: "",
        when: "T1 prints within its turn:\n    [ERROR]\n    type: fatal\n    message: no access\n    \
               recovery: checkpoint_and_fail\n    [/ERROR]",
        of_task: &["retry", "skip"],
        other: &[],
    },
    EscalationCase {
        cause: "an error of an agent without a task",
        escalation: "general high run",
        given: "team: Coder worker, Ops operator\n  T1",
        when: "Ops prints within its turn:\n    [ERROR]\n    type: fatal\n    message: no access\n    \
               recovery: notify_user\n    [/ERROR]",
        of_task: &[],
        other: &[("dismiss", "T1 is running")],
    },
    EscalationCase {
        cause: "a report of an operator",
        escalation: "general medium",
        given: "team: Coder worker, Boss operator\n  T1\n  T2 after T1",
        when: "Boss prints within its turn: CUSTOM:ESCALATE:T1 the plan contradicts itself",
        of_task: &["retry", "skip", "mark as failed"],
        other: &[("waive", "T1 is running")],
    },
    EscalationCase {
        cause: "an expired question",
        escalation: "decision medium",
        given: "questions expire after 1 hour\n  T1\n  T2 after T1",
        when: "T1 prints:\n    [ASK_USER]\n    question: Which database?\n    required: yes\n  1 hour passes",
        of_task: &["retry", "skip", "mark as failed"],
        other: &[("waive", "T1 is running\n  T1 receives Resume")],
    },
    EscalationCase {
        cause: "a check that fails three times",
        escalation: "test_failure high",
        given: "T1, verify \"make test\"\n  T2 after T1",
        when: "T1 prints: DONE:T1\n  the check of T1 fails: one\n  T1 prints: DONE:T1\n  the check of T1 fails: two\n  \
               T1 prints: DONE:T1\n  the check of T1 fails: three",
        of_task: &["retry", "skip", "mark as failed"],
        other: &[("waive", "TaskDone T1 waived\n  T2 is running")],
    },
    EscalationCase {
        cause: "a tester without a verdict",
        escalation: "test_failure high",
        given: "team: Coder worker, QA tester\n  T1, tester QA\n  T2 after T1",
        when: "T1 prints: DONE:T1\n  QA prints: Hm.\n  QA prints: Hm, hm.",
        of_task: &["retry", "skip", "mark as failed"],
        other: &[("waive", "TaskDone T1 waived\n  T2 is running")],
    },
    EscalationCase {
        cause: "a used budget of a task",
        escalation: "token_exhausted",
        given: "T1, budget 100k\n  T2 after T1",
        when: "T1 uses 100k tokens",
        of_task: &[],
        other: &[
            ("raise the budget to 200k", "BudgetRaised T1 budget=200k\n  T1 is running"),
            ("waive", "LimitWaived token_exhausted\n  T1 is running"),
        ],
    },
    EscalationCase {
        cause: "a used budget of a phase",
        escalation: "token_exhausted phase=1",
        given: "phase 1, budget 100k\n  T1",
        when: "T1 uses 100k tokens",
        of_task: &[],
        other: &[
            ("raise the budget to 200k", "BudgetRaised budget=200k\n  T1 is running"),
            ("waive", "LimitWaived token_exhausted\n  T1 is running"),
        ],
    },
    EscalationCase {
        cause: "a used budget of the run",
        escalation: "token_exhausted critical run",
        given: "budget 100k\n  T1",
        when: "T1 uses 100k tokens",
        of_task: &[],
        other: &[
            ("raise the budget to 200k", "BudgetRaised budget=200k\n  T1 is running"),
            ("waive", "LimitWaived token_exhausted\n  T1 is running"),
        ],
    },
    EscalationCase {
        cause: "the time limit of a task",
        escalation: "timeout high",
        given: "timeout 1 hour\n  T1\n  T2 after T1",
        when: "1 hour passes",
        of_task: &["retry", "skip", "mark as failed"],
        other: &[("waive", "LimitWaived timeout\n  T1 is running")],
    },
    EscalationCase {
        cause: "the time limit of the run",
        escalation: "timeout critical run",
        given: "time 1 hour\n  timeout 5 hours\n  T1",
        when: "1 hour passes",
        of_task: &[],
        other: &[("waive", "LimitWaived timeout\n  T1 is running")],
    },
    EscalationCase {
        cause: "a rate limit that does not reset",
        escalation: "timeout high",
        given: "timeout 5 days\n  T1\n  T2 after T1",
        when: "T1 prints, 11 times, 1 hour apart:\n    [ERROR]\n    type: recoverable\n    message: Rate limit exceeded\n    \
               recovery: pause_and_retry\n    [/ERROR]",
        of_task: &["retry", "skip", "mark as failed"],
        other: &[("waive", "LimitWaived timeout\n  T1 is running")],
    },
    EscalationCase {
        cause: "a conflict that comes back",
        escalation: "conflict medium",
        given: "merges are done by hand\n  T1\n  T2 after T1",
        when: "T1 prints: DONE:T1\n  T1's merge conflicts in a.rs\n  T1 prints: DONE:T1\n  T1's merge conflicts in a.rs",
        of_task: &["skip", "mark as failed"],
        other: &[("retry", "T1 is running")],
    },
    EscalationCase {
        cause: "a merge that git cannot do",
        escalation: "conflict medium",
        given: "merges are done by hand\n  T1\n  T2 after T1",
        when: "T1 prints: DONE:T1\n  T1's merge fails: the disk is full",
        of_task: &["skip", "mark as failed"],
        other: &[("retry", "T1 is running")],
    },
    EscalationCase {
        cause: "a check that cannot run",
        escalation: "check_not_run high",
        given: "T1, verify \"make test\"\n  T2 after T1",
        when: "T1 prints: DONE:T1\n  the check of T1 cannot run: make",
        of_task: &["skip", "mark as failed"],
        other: &[("retry", "effect RunCheck T1"), ("waive", "TaskDone T1 waived\n  T2 is running")],
    },
    EscalationCase {
        cause: "a gate whose check cannot run",
        escalation: "check_not_run high phase=1",
        given: "gates are checked by hand\n  T1",
        when: "T1 prints: DONE:T1\n  the gate of phase 1 cannot run its check: make",
        of_task: &[],
        other: &[("retry", "GateOpened phase=1 round=2"), ("waive", "GateApproved phase=1 waived=true")],
    },
    EscalationCase {
        cause: "a gate that fails again and again",
        escalation: "quality high phase=1",
        given: "gates are checked by hand\n  T1",
        when: "T1 prints: DONE:T1\n  the gate of phase 1 fails: one\n  T1 prints: DONE:T1\n  \
               the gate of phase 1 fails: two\n  T1 prints: DONE:T1\n  the gate of phase 1 fails: three\n  \
               T1 prints: DONE:T1\n  the gate of phase 1 fails: four",
        of_task: &[],
        other: &[
            ("retry", "TaskReopened T1\n  T1 is running"),
            ("waive", "GateApproved phase=1 waived=true\n  RunEnded done"),
        ],
    },
    EscalationCase {
        cause: "invalid messages of a worker",
        escalation: "protocol high",
        given: "",
        when: "T1 prints: RESOLVE_NEXT\n  T1 prints: RESOLVE_NEXT\n  T1 prints: RESOLVE_NEXT",
        of_task: &["retry", "skip", "mark as failed"],
        other: &[("dismiss", "T1 is running")],
    },
    EscalationCase {
        cause: "too many messages of a worker",
        escalation: "blocked high",
        given: "",
        when: "T1 prints 600 times within its turn:\n    [STEP_COMPLETE]\n    summary: one more\n    [/STEP_COMPLETE]",
        of_task: &["retry", "skip", "mark as failed"],
        other: &[],
    },
    EscalationCase {
        cause: "too many messages of an operator",
        escalation: "blocked high run",
        given: "team: Coder worker, Ops operator\n  T1",
        when: "Ops prints 600 times within its turn:\n    [STEP_COMPLETE]\n    summary: one more\n    [/STEP_COMPLETE]",
        of_task: &[],
        other: &[("dismiss", "T1 is running")],
    },
    EscalationCase {
        cause: "an agent that acts as the user",
        escalation: "protocol critical run",
        given: "team: Coder worker, Ops operator\n  T1",
        when: "T1 acts as the user: POST /api/runs/r1/commands",
        of_task: &[],
        other: &[("dismiss", "T1 is running")],
    },
    EscalationCase {
        cause: "a ref that another program moved",
        escalation: "protocol critical run",
        given: "merges are done by hand\n  T1\n  T2 after T1",
        when: "T1 prints: DONE:T1\n  a ref is moved for the merge of T1: refs/heads/jangdan/r1/run\n  1 second passes\n  T1 merges",
        of_task: &[],
        other: &[("dismiss", "T2 is running")],
    },
    EscalationCase {
        cause: "a used disk budget",
        escalation: "dependency medium run",
        given: "T1\n  T2 after T1",
        when: "T1's session gets no worktree: it is full",
        of_task: &[],
        other: &[("retry", "TaskStarted T1 attempt=2\n  T1 is running")],
    },
    EscalationCase {
        cause: "a full disk",
        escalation: "dependency critical run",
        given: "T1, verify \"make test\"\n  T2 after T1",
        when: "T1 prints: DONE:T1\n  the disk is full for the check of T1: write error\n  1 second passes\n  \
               the disk is full for the check of T1: write error\n  2 seconds pass\n  \
               the disk is full for the check of T1: write error\n  4 seconds pass\n  \
               the disk is full for the check of T1: write error",
        of_task: &[],
        other: &[
            ("retry", "EffectRetried\n  effect RunCheck T1"),
            ("dismiss", "T1 is checking\n  no EffectRetried"),
        ],
    },
    EscalationCase {
        cause: "a silent main agent",
        escalation: "blocked critical run",
        given: "team: Coder worker, Lead orchestrator\n  thin mode\n  T1",
        when: "Lead prints within its turn: RESOLVE_NEXT\n  11 minutes pass",
        of_task: &[],
        other: &[("dismiss", "T1 is ready")],
    },
];

#[test]
fn every_action_that_an_escalation_offers_acts() {
    let failures: Vec<String> = CASES.iter().flat_map(case_failures).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn case_failures(case: &EscalationCase) -> Vec<String> {
    let EscalationCase { cause, escalation, given, when, of_task, other } = case;
    let given = if given.is_empty() { "T1\n  T2 after T1" } else { given };
    let raised =
        format!("```scenario\ngiven\n  {given}\nwhen\n  {when}\nthen\n  EscalationRaised e_1 {escalation}\n");
    let offered = match open_escalation(&format!("{raised}```\n")) {
        Ok((suggested, possible)) if suggested == possible => suggested,
        Ok((suggested, possible)) => {
            return vec![format!("{cause}: suggests {suggested:?}, but only {possible:?} are possible")];
        }
        Err(failure) => return vec![format!("{cause}: {failure}")],
    };
    let of_task = of_task.iter().filter_map(|action| TASK_ACTIONS.iter().find(|(name, _)| name == action));
    let expected: Vec<&(&str, &str)> = of_task.chain(*other).collect();
    let mut names: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
    let mut offered_names: Vec<&str> = offered.iter().map(String::as_str).collect();
    names.sort_unstable();
    offered_names.sort_unstable();
    if names != offered_names {
        return vec![format!("{cause}: offers {offered_names:?}, not {names:?}")];
    }
    let failure = |(action, result): &&(&str, &str)| {
        let then = format!("EscalationResolved e_1 {action:?}\n  {result}");
        let scenario = format!("{raised}when\n  ana resolves e_1: {action}\nthen\n  {then}\n```\n");
        let (_, expected, actual) = run_scenario(&scenario).err()?;
        Some(format!("{cause}, {action}: expected {expected}: {actual}"))
    };
    expected.iter().filter_map(failure).collect()
}
