//! A run of 1,000 empty tasks against `make -j4` and `ninja -j4` on the same graph, and the time to its first task.
//!
//! `dispatch` is the engine alone with a process for each task: no terminal, no log. `recorded` adds the log, and `whole`
//! is `jangdan run` with sessions on terminals and holders. The differences are the costs of the added parts.

mod peers;
pub(crate) mod program;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    os::fd::{AsFd, OwnedFd},
    process::{Command as Program, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use domain::{
    AgentMessage, AgentOutput, DoneMessage, EffectId, MessageOffset, RunInput, SessionId, SessionInput,
    TaskId, Timestamp,
};
use engine::{Effect, Rejection, Run};
use runtime::DurableRun;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use store::SqliteLog;
use tempfile::tempdir_in;
use testkit::{
    bench::{Goal, Report, Timings, run_named_variants_in_turns},
    progress,
    random::Random,
    run_loop::{start_input, success_inputs, turn_end},
    workloads::Workload,
};

use crate::child::{KillOnDropChild, WAIT_MAX, first_readable_descriptor};

const N_TASKS: usize = 1000;
const N_EDGES: usize = 1500;
const SLOTS: u32 = 4;
const ROUNDS: usize = 5;

/// Runs the bench.
pub(crate) fn run() -> Result<Report> {
    let work = generate_workload();
    // Beside this program: the temporary directory may be in memory, where a sync costs nothing.
    let program = std::env::current_exe()?;
    let beside = program.parent().context("find the directory of this program")?;
    let folder = tempdir_in(beside)?;
    let peers = peers::PeerBuilds::new(&work, folder.path())?;
    let jangdan = beside.join("jangdan");
    ensure!(jangdan.exists(), "build the program first: cargo build --profile dist --package cli");

    let mut names = vec!["dispatch", "make", "node start", "first task", "first task, worktree"];
    names.extend(peers.has_ninja.then_some("ninja"));
    let times = run_named_variants_in_turns(ROUNDS, &names, |n| -> Result<Duration> {
        match names.get(n).copied().unwrap_or_default() {
            "dispatch" => time_call(|| run_with_engine(&work)),
            "make" => time_call(|| peers.run_make()),
            "ninja" => time_call(|| peers.run_ninja()),
            "node start" => peers.time_node_start(),
            "first task" => program::time_first_task(&jangdan, folder.path(), false),
            _ => program::time_first_task(&jangdan, folder.path(), true),
        }
    })?;
    let timings = Timings::new(names.iter().copied().zip(times).collect());
    // Thousands of disk syncs in sequence: one round is enough for a figure.
    progress::begin("recorded: the graph with its log");
    let recorded = time_call(|| run_with_log(&work, folder.path()))?.as_secs_f64();
    progress::begin("whole: `jangdan run` on the graph");
    let whole = time_call(|| program::run_all_tasks(&jangdan, &work, folder.path()))?.as_secs_f64();

    let mut report = Report::new("run", timings.rounds);
    report.add_ratio("dispatch/make", timings.times_longer("dispatch", "make"), Goal::AtMost(1.25));
    let first = timings.times_longer("first task", "node start");
    report.add_ratio("first task/node start", first, Goal::AtMost(0.5));
    let first = timings.times_longer("first task, worktree", "node start");
    report.add_figure("first task in a worktree/node start", first);
    report.add_figure("node start ms", timings.median_seconds("node start") * 1e3);
    if peers.has_ninja {
        report.add_figure("dispatch/ninja", timings.times_longer("dispatch", "ninja"));
        report.add_figure("ninja s", timings.median_seconds("ninja"));
    }
    report.add_figure("make s", timings.median_seconds("make"));
    report.add_figure("dispatch s", timings.median_seconds("dispatch"));
    report.add_figure("whole/make", whole / timings.median_seconds("make"));
    report.add_figure("whole s", whole);
    report.add_figure("of it the log s", recorded - timings.median_seconds("dispatch"));
    report.add_figure("of it sessions, terminals and helpers s", whole - recorded);
    report.add_figure("first task ms", timings.median_seconds("first task") * 1e3);
    report.add_figure("first task in a worktree ms", timings.median_seconds("first task, worktree") * 1e3);
    report.add_figure("tasks", N_TASKS as f64);
    report.add_figure("edges", N_EDGES as f64);
    report.add_note("holder", sessions::HOLDER_TARGET);
    Ok(report)
}

fn time_call(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

/// Generates a graph whose edges all go from an earlier task to a later one.
fn generate_workload() -> Workload {
    let mut random = Random::new(7);
    let mut edges = BTreeSet::new();
    while edges.len() < N_EDGES {
        let later = 1 + random.below(N_TASKS - 1);
        edges.insert((random.below(later), later));
    }
    Workload { durations: vec![1; N_TASKS], edges: edges.into_iter().collect() }
}

/// Runs the engine alone, with a process for each task.
fn run_with_engine(work: &Workload) -> Result<()> {
    let mut run = Run::new();
    run_to_end(work, |now, input| Ok(run.decide(now, input)?.effects))
}

/// Runs the engine with its log: every step waits for the disk.
fn run_with_log(work: &Workload, folder: &std::path::Path) -> Result<()> {
    let directory = tempdir_in(folder)?;
    let log = Arc::new(SqliteLog::open(directory.path())?);
    let mut run = DurableRun::open(log, "r1".parse()?)?;
    run_to_end(work, |now, input| match run.execute(now, input) {
        Ok(step) => Ok(step.effects),
        Err(runtime::DurableRunError::Rejected(rejection)) => Err(rejection.into()),
        Err(error) => Err(error.into()),
    })
}

/// Runs all tasks, each as a process that does nothing.
fn run_to_end(
    work: &Workload,
    mut decide: impl FnMut(Timestamp, RunInput) -> Result<Vec<(EffectId, Effect)>>,
) -> Result<()> {
    let mut now = 0;
    let mut effects: VecDeque<(EffectId, Effect)> = VecDeque::new();
    let mut running: VecDeque<TaskProcess> = VecDeque::new();
    let mut n_done = 0;
    let mut send = |input: RunInput, effects: &mut VecDeque<(EffectId, Effect)>| {
        now += 1;
        match decide(Timestamp(now), input) {
            Ok(new) => effects.extend(new),
            // Two reports may cross; the engine refuses the later one.
            Err(error)
                if matches!(
                    error.downcast_ref(),
                    Some(Rejection::StaleReport | Rejection::UnknownSession { .. })
                ) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    };
    send(start_input(work, SLOTS), &mut effects)?;
    loop {
        while let Some((id, effect)) = effects.pop_front() {
            if let Effect::SendInput { session, input, content, .. } = &effect
                && let SessionInput::Task { task, .. } = &**content
            {
                let (session, input) = (*session, *input);
                send(
                    domain::Report::InputSent { session, input, text: None, tree: None }.into(),
                    &mut effects,
                )?;
                running.push_back(TaskProcess::start(session, task.clone())?);
                continue;
            }
            for input in success_inputs(id, effect) {
                send(input, &mut effects)?;
            }
        }
        if running.is_empty() {
            ensure!(n_done == N_TASKS, "{n_done} of {N_TASKS} tasks were done");
            return Ok(());
        }
        let (session, task_id) = wait_for_ended_process(&mut running)?;
        n_done += 1;
        let said = Box::new(AgentMessage::Done(DoneMessage {
            task_id,
            phase: None,
            reason: Some("it is simulated".to_owned()),
            fields: BTreeMap::new(),
        }));
        let output = AgentOutput::Message {
            offset: MessageOffset { start: 1, ordinal: 0 },
            read_from: 2,
            message: said,
        };
        send(RunInput::Agent { session, output }, &mut effects)?;
        send(RunInput::Agent { session, output: turn_end(2) }, &mut effects)?;
    }
}

/// A process that does nothing, in place of an agent that works on a task.
struct TaskProcess {
    child: KillOnDropChild,
    descriptor: OwnedFd,
    session: SessionId,
    task: TaskId,
}

impl TaskProcess {
    fn start(session: SessionId, task: TaskId) -> Result<Self> {
        let child = KillOnDropChild::spawn(Program::new("true").stdin(Stdio::null()))?;
        let descriptor = pidfd_open(Pid::from_child(&child.child), PidfdFlags::empty())?;
        Ok(Self { child, descriptor, session, task })
    }
}

/// Waits for the end of any process and takes it out.
fn wait_for_ended_process(running: &mut VecDeque<TaskProcess>) -> Result<(SessionId, TaskId)> {
    let descriptors: Vec<_> = running.iter().map(|process| process.descriptor.as_fd()).collect();
    let ended = first_readable_descriptor(&descriptors, WAIT_MAX)?;
    let ended = ended.and_then(|index| running.remove(index));
    let Some(TaskProcess { mut child, session, task, .. }) = ended else {
        bail!("no process of {} ended within {WAIT_MAX:?}; they are killed", running.len());
    };
    let status = child.child.wait()?;
    ensure!(status.success(), "the process of {task} ended with {status}");
    Ok((session, task))
}
