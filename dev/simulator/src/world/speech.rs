//! What imagined agents have in mind: work, questions, calls, lies, garbage, and silence.

mod chatter;

use domain::{
    AgentMessage, AgentName, CustomMessage, DeliverResult, DoneMessage, FailMessage, NeedHuman,
    OrchestrationMode, PhaseComplete, ResolveNext, ResultType, Role, SessionInput, TaskId, TaskRequest,
    TestFailure, TestFeedback,
};

use super::{Process, Spoken};
use crate::{model::Model, random::Random};

/// After so many detours an agent only wants to be done.
const MISCHIEF_MAX: u32 = 4;

/// One thing that an agent is about to do.
#[derive(Debug, Clone)]
pub enum Utterance {
    /// It writes something.
    Spoken(Box<Spoken>),
    /// It waits for a long while.
    Sleep,
    /// It ends.
    Exit(Option<i32>),
    /// It is killed, and nobody knows by whom.
    Vanish,
    /// It does nothing any more.
    Hang,
}

/// Who thinks, and what it knows.
pub struct Mind<'a> {
    /// Its process.
    pub process: &'a mut Process,
    /// The run it is in.
    pub model: &'a Model,
    /// Whether it does its part.
    pub kind: bool,
}

impl Mind<'_> {
    /// Tells whether its task waits for something.
    fn waits(&self) -> bool {
        let task = self.process.task.as_ref().and_then(|task| self.model.tasks.get(task));
        task.is_some_and(|task| !task.reasons.is_empty())
    }
}

/// Returns what an agent does about an input.
pub fn react(random: &mut Random, mind: &mut Mind<'_>, input: &SessionInput) -> Vec<Utterance> {
    match input {
        SessionInput::Chat { .. } | SessionInput::Resume { .. }
            if mind.model.settings.mode == OrchestrationMode::Thin
                && mind.process.role == Role::Orchestrator =>
        {
            resolve()
        }
        SessionInput::Task { .. }
        | SessionInput::Answer { .. }
        | SessionInput::Provided { .. }
        | SessionInput::Refused { .. }
        | SessionInput::InvocationEnded { .. }
        | SessionInput::Permission { .. }
        | SessionInput::Feedback { .. }
        | SessionInput::Conflict { .. }
        | SessionInput::Rework { .. }
        | SessionInput::UserMessage { .. }
        | SessionInput::TaskChanged { .. }
        | SessionInput::ClarificationRequest { .. }
        | SessionInput::Reminder
        | SessionInput::Resume { .. } => go_on(random, mind),
        SessionInput::InvalidMessage { .. } => {
            // Most agents see that they have to wait.
            let waits = mind.waits() && !random.once_in(8);
            if waits { vec![turn("I wait")] } else { go_on(random, mind) }
        }
        SessionInput::NearMiss { .. }
        | SessionInput::Result { .. }
        | SessionInput::Direct { .. }
        | SessionInput::Chat { .. } => {
            if mind.process.task.is_some() {
                go_on(random, mind)
            } else {
                vec![turn("noted")]
            }
        }
        SessionInput::Invocation { from, .. } => serve(random, mind, from),
        SessionInput::Test { task, .. } => test(random, mind, task),
        SessionInput::Verify { phase, .. } => judge(random, mind, *phase),
        SessionInput::Question { options, .. } => answer(random, mind, options),
        SessionInput::Escalation { task, .. } => mend(random, mind, task.as_ref()),
        SessionInput::ThinLine { line } => steer(random, mind, line),
    }
}

/// Returns what an agent does that is told to come to an end.
pub fn finish(process: &Process) -> Vec<Utterance> {
    let end = |task: TaskId| match process.role {
        Role::Tester => write(Spoken::Feedback(TestFeedback { success: true, ..TestFeedback::default() })),
        _ => done(task),
    };
    process.task.clone().map(end).into_iter().chain([turn("there it is")]).collect()
}

/// Returns how a main agent begins: it asks what is next, and its turn goes on with the answer.
pub fn resolve() -> Vec<Utterance> {
    vec![say(AgentMessage::ResolveNext(ResolveNext { phase: None, force: false }))]
}

fn go_on(random: &mut Random, mind: &mut Mind<'_>) -> Vec<Utterance> {
    let Some(task) = mind.process.task.clone() else { return vec![turn("noted")] };
    if mind.process.role == Role::Tester {
        return test(random, mind, &task);
    }
    if mind.kind {
        return finish(mind.process);
    }
    let mut script = Vec::new();
    for _ in 0..random.below(4) {
        let chatter = chatter::chatter(random, mind, &task);
        script.extend(chatter.said);
        mind.process.mischief += u32::from(chatter.waits);
        if chatter.in_turn || (chatter.waits && random.percent(75)) {
            // A prompt keeps the turn open until it has its answer.
            if !chatter.in_turn {
                script.push(turn("I wait"));
            }
            return script;
        }
    }
    let tired = mind.process.mischief >= MISCHIEF_MAX;
    let end = if tired { 0 } else { random.below(100) };
    let phase = mind.process.phase.unwrap_or(1);
    match end {
        0..62 => script.extend([done(task), turn("it is done")]),
        62..70 => script.extend([fail(task), turn("it can't be done")]),
        70..78 => script.push(turn("I have looked at it")),
        78..84 => script.extend([complete(phase), turn("the phase is complete")]),
        84..86 => script.extend([complete(phase + 1), done(task), turn("all is complete")]),
        86..88 => script.extend([done(task), Utterance::Exit(Some(0))]),
        88..90 => script.push(Utterance::Exit(Some(0))),
        90..93 => script.push(Utterance::Exit(Some(1))),
        93..95 => script.push(Utterance::Vanish),
        95..98 => script.push(Utterance::Hang),
        _ => script.extend([done(task.clone()), done(task), turn("done, done")]),
    }
    mind.process.mischief += u32::from(end >= 62);
    script
}

fn serve(random: &mut Random, mind: &mut Mind<'_>, from: &AgentName) -> Vec<Utterance> {
    let result = say(AgentMessage::DeliverResult(DeliverResult {
        target: from.clone(),
        result_type: ResultType::Message,
        content: "here".to_owned(),
    }));
    if mind.kind {
        return vec![result, turn("delivered")];
    }
    match random.below(20) {
        0..8 => vec![result, turn("delivered")],
        8..13 => vec![turn("this is the answer")],
        13 => vec![Utterance::Exit(Some(1))],
        14 => vec![Utterance::Hang],
        15 => vec![result.clone(), result, turn("delivered twice")],
        16 | 17 => vec![chatter::question(random), turn("I wait")],
        18 => vec![chatter::request(random), turn("I wait")],
        _ => {
            let mut script = chatter::call(random, mind).said;
            script.push(turn("I need help"));
            script
        }
    }
}

fn test(random: &mut Random, mind: &mut Mind<'_>, task: &TaskId) -> Vec<Utterance> {
    let success = mind.kind || random.percent(60);
    let failure = TestFailure { name: "it works".to_owned(), ..TestFailure::default() };
    let feedback = TestFeedback {
        success,
        failures: if success { Vec::new() } else { vec![failure] },
        ..TestFeedback::default()
    };
    let feedback = write(Spoken::Feedback(feedback));
    if mind.kind {
        return vec![feedback, turn("tested")];
    }
    match random.below(20) {
        0..11 => vec![feedback, turn("tested")],
        11 => vec![feedback.clone(), feedback, turn("tested twice")],
        12 | 13 => vec![done(task.clone()), turn("fine")],
        14 | 15 => vec![fail(task.clone()), turn("not fine")],
        16 => vec![turn("I looked at it")],
        17 => vec![Utterance::Exit(Some(1))],
        18 => vec![Utterance::Vanish],
        _ => vec![Utterance::Hang],
    }
}

fn judge(random: &mut Random, mind: &mut Mind<'_>, phase: u32) -> Vec<Utterance> {
    let tasks = mind.model.tasks.iter().filter(|(_, task)| task.plan.phase == phase);
    let tasks: Vec<TaskId> = tasks.map(|(id, _)| id.clone()).collect();
    let blamed = random.pick(&tasks).cloned().map(fail);
    if mind.kind {
        return vec![turn("it may pass")];
    }
    match random.below(20) {
        0..5 => blamed.into_iter().chain([turn("this must be better")]).collect(),
        5 => vec![Utterance::Exit(Some(1))],
        6 => vec![Utterance::Hang],
        7 => vec![write(Spoken::Invalid), turn("hm")],
        _ => vec![turn("it may pass")],
    }
}

fn answer(random: &mut Random, mind: &mut Mind<'_>, options: &[String]) -> Vec<Utterance> {
    let word = random.pick(options).cloned().unwrap_or_else(|| "yes".to_owned());
    let hand_on = say(AgentMessage::NeedHuman(NeedHuman { question: "what do you think?".to_owned() }));
    if mind.kind {
        return if random.once_in(2) { vec![turn(&word)] } else { vec![hand_on, turn("I asked")] };
    }
    match random.below(20) {
        0..8 => vec![turn(&word)],
        8..15 => vec![hand_on, turn("I asked")],
        15 => vec![turn("")],
        16 => vec![hand_on.clone(), hand_on, turn("I asked twice")],
        17 => vec![Utterance::Hang],
        18 => vec![Utterance::Exit(Some(0))],
        _ => vec![write(Spoken::Invalid), turn("none of these")],
    }
}

fn mend(random: &mut Random, mind: &mut Mind<'_>, task: Option<&TaskId>) -> Vec<Utterance> {
    let wish = |kind: &str| {
        let value = task.map_or_else(|| "T9.9".to_owned(), ToString::to_string);
        say(AgentMessage::Custom(CustomMessage { kind: kind.to_owned(), value }))
    };
    match random.below(if mind.kind { 14 } else { 20 }) {
        0..4 => vec![wish("RETRY"), turn("again")],
        4..6 => vec![wish("SKIP"), turn("without it")],
        6..14 => vec![turn("a person should look at it")],
        14 => vec![wish("PRIORITY"), turn("first")],
        15 => vec![wish("DANCE"), turn("la la")],
        16 => vec![say(AgentMessage::NeedHuman(NeedHuman { question: "help?".to_owned() })), turn("I asked")],
        17 => vec![Utterance::Exit(Some(1))],
        18 => vec![Utterance::Hang],
        _ => vec![Utterance::Vanish],
    }
}

/// A main agent reads a thin line, and names what is to start.
fn steer(random: &mut Random, mind: &mut Mind<'_>, line: &str) -> Vec<Utterance> {
    let named = line.strip_prefix("READY:").unwrap_or_default();
    let tasks = named.split([',', '|', ';', '+', ' ', '[', ']', '(', ')']).map(str::trim);
    let tasks: Vec<TaskId> = tasks.filter_map(|name| name.parse().ok()).collect();
    let start = |task: TaskId| {
        say(AgentMessage::Task(TaskRequest { task_id: task, phase: None, worktree: None, meta: None }))
    };
    if !mind.kind && random.once_in(40) {
        return vec![Utterance::Hang];
    }
    let mut script: Vec<Utterance> = tasks.into_iter().map(start).collect();
    if line.starts_with("CUSTOM") && (mind.kind || random.once_in(2)) {
        script.push(turn("I wait for people"));
        return script;
    }
    if line.starts_with("CUSTOM") {
        script.push(Utterance::Sleep);
    }
    if !mind.kind && random.once_in(10) {
        script.extend("T9.99".parse().ok().map(start));
    }
    // After ALL_DONE there is nothing to ask for; people may still add to the plan, and say so.
    let has_more = !mind.process.script.is_empty();
    if line.starts_with("ALL_DONE") {
        script.push(turn("all is done"));
    } else if !has_more || !(line.starts_with("DONE") || line.starts_with("FAIL")) {
        script.extend(resolve());
    }
    script
}

pub(super) fn say(said: AgentMessage) -> Utterance {
    write(Spoken::Said(said))
}

pub(super) fn write(spoken: Spoken) -> Utterance {
    Utterance::Spoken(Box::new(spoken))
}

pub(super) fn turn(words: &str) -> Utterance {
    write(Spoken::EndOfTurn(words.to_owned()))
}

pub(super) fn done(task_id: TaskId) -> Utterance {
    say(AgentMessage::Done(DoneMessage { task_id, phase: None, fields: std::collections::BTreeMap::new() }))
}

fn fail(task_id: TaskId) -> Utterance {
    let reason = Some("it can't be done".to_owned());
    say(AgentMessage::Fail(FailMessage {
        task_id,
        phase: None,
        reason,
        fields: std::collections::BTreeMap::new(),
    }))
}

fn complete(phase: u32) -> Utterance {
    say(AgentMessage::PhaseComplete(PhaseComplete {
        phase,
        name: None,
        documents: vec!["docs/report.md".to_owned()],
    }))
}
