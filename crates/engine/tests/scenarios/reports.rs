//! What the world reports in a scenario, where it is not left to itself: `the check of T1 fails`.

use domain::{
    Actor, AttemptNumber, CheckpointOutcome, Command, GateReport, MergeOutcome, SessionId, TaskId,
    TaskOverlap,
};
use engine::Effect;

use crate::{
    given::{read_list, read_value, read_work},
    hands::receipt,
    stage::Stage,
};

/// Reports what a line says; tells whether the line is about the world at all.
pub fn take(stage: &mut Stage, words: &[&str], tail: Option<&str>) -> Result<bool, String> {
    let said = tail.unwrap_or_default().to_owned();
    let command = match words {
        ["the", "world", "carries", "on"] => return carry_on(stage).map(|()| true),
        ["the", "check", "of", task, outcome @ ("passes" | "fails")] => {
            check(stage, task, None, outcome, &said)?
        }
        ["the", "check", "of", "attempt", attempt, "of", task, outcome @ ("passes" | "fails")] => {
            check(stage, task, Some(read_value(attempt)?), outcome, &said)?
        }
        [task, "merges"] => merge(
            stage,
            task,
            MergeOutcome::Merged { commit: format!("merge-of-{task}"), receipt: None, tree: None },
        )?,
        [task, "merge", ..] if task.ends_with("'s") => {
            let outcome = merge_outcome(stage, words.get(2..).unwrap_or_default(), said)?;
            merge(stage, task.trim_end_matches("'s"), outcome)?
        }
        ["the", "plan", "file", "says"] => Command::ReportPlan { work: Box::new(read_work(&said)?) },
        ["the", "plan", "file", "is", "broken"] => Command::ReportPlanUnreadable { problem: said },
        [first, "and", second, "both", "change", files @ ..] => {
            let files: Vec<String> = read_list(files)?;
            let n_files = u32::try_from(files.len()).unwrap_or(u32::MAX);
            let tasks = [read_value(first)?, read_value(second)?];
            Command::ReportOverlaps { overlaps: vec![TaskOverlap { tasks, files, n_files }] }
        }
        ["there", "is", "room", "again"] => Command::ReportDiskSpaceAvailable,
        ["nobody", "changes", "the", "same", "files"] => Command::ReportOverlaps { overlaps: Vec::new() },
        ["the", "gate", "of", "phase", phase, outcome @ ..] => gate(stage, phase, outcome, said)?,
        ["the", "checkpoint", "of", task, outcome @ ..] => checkpoint(stage, task, outcome, said)?,
        _ => return session(stage, words, said),
    };
    stage.wish(&Actor::System, command)?;
    Ok(true)
}

/// Does everything that waits for a hand.
fn carry_on(stage: &mut Stage) -> Result<(), String> {
    for (id, effect) in std::mem::take(&mut stage.pending) {
        let command = stage.hands.report(id, &effect, stage.now);
        stage.wish(&Actor::System, command)?;
    }
    Ok(())
}

/// Takes what the world was told off the list of what it has to do.
fn done(stage: &mut Stage, is_it: impl Fn(&Effect) -> bool) {
    stage.pending.retain(|(_, effect)| !is_it(effect));
}

fn attempt_of(stage: &Stage, task: &str) -> AttemptNumber {
    stage.facts.counts.get(task).copied().unwrap_or(1)
}

fn check(
    stage: &mut Stage,
    task: &str,
    attempt: Option<AttemptNumber>,
    outcome: &str,
    output: &str,
) -> Result<Command, String> {
    let task: TaskId = read_value(task)?;
    let attempt = attempt.unwrap_or_else(|| attempt_of(stage, task.as_str()));
    let mut command = "check".to_owned();
    for (_, effect) in &stage.pending {
        if let Effect::RunCheck { task: of, command: told, .. } = effect
            && *of == task
        {
            command.clone_from(told);
        }
    }
    done(stage, |effect| matches!(effect, Effect::RunCheck { task: of, .. } if *of == task));
    let exit_status = i32::from(outcome == "fails");
    Ok(Command::ReportCheck { task, attempt, receipt: receipt(&command, exit_status, output, stage.now) })
}

fn merge_outcome(stage: &Stage, words: &[&str], said: String) -> Result<MergeOutcome, String> {
    match words {
        ["conflicts", "in", files @ ..] => Ok(MergeOutcome::Conflicted { files: read_list(files)? }),
        ["breaks", "its", "check"] => {
            Ok(MergeOutcome::CheckFailed { receipt: receipt("check", 1, &said, stage.now) })
        }
        ["fails"] => Ok(MergeOutcome::Failed { error: said }),
        _ => Err("is no outcome of a merge".to_owned()),
    }
}

fn merge(stage: &mut Stage, task: &str, outcome: MergeOutcome) -> Result<Command, String> {
    let task: TaskId = read_value(task)?;
    let attempt = attempt_of(stage, task.as_str());
    done(stage, |effect| matches!(effect, Effect::Merge { task: of, .. } if *of == task));
    Ok(Command::ReportMerge { task, attempt, outcome })
}

fn gate(stage: &mut Stage, phase: &str, outcome: &[&str], summary: String) -> Result<Command, String> {
    let mut report = GateReport { summary, ..GateReport::default() };
    match outcome {
        ["passes"] => report.passed = true,
        ["fails"] => {}
        ["fails", "because", "of", tasks @ ..] => report.tasks = read_list(tasks)?,
        ["misses", files @ ..] => report.missing = read_list(files)?,
        _ => return Err("is no outcome of a gate".to_owned()),
    }
    let phase = read_value(phase)?;
    let round = stage.facts.counts.get(&format!("phase {phase}")).copied().unwrap_or(1);
    done(stage, |effect| matches!(effect, Effect::CheckGate { phase: of, .. } if *of == phase));
    Ok(Command::ReportGate { phase, round, report })
}

fn checkpoint(stage: &mut Stage, task: &str, outcome: &[&str], said: String) -> Result<Command, String> {
    let ordered = stage.pending.iter().find_map(|(_, effect)| match effect {
        Effect::MakeCheckpoint { checkpoint, task: of } if of.as_str() == task => Some(*checkpoint),
        _ => None,
    });
    let checkpoint = ordered.ok_or("nobody asked for that checkpoint")?;
    done(
        stage,
        |effect| matches!(effect, Effect::MakeCheckpoint { checkpoint: of, .. } if *of == checkpoint),
    );
    let outcome = match outcome {
        ["is", "made"] => CheckpointOutcome::Made {
            commit: format!("commit-of-{checkpoint}"),
            agent_session: None,
            tree: None,
        },
        ["fails"] => CheckpointOutcome::Failed { error: said },
        _ => return Err("is no outcome of a checkpoint".to_owned()),
    };
    Ok(Command::ReportCheckpoint { checkpoint, outcome })
}

fn session(stage: &mut Stage, words: &[&str], said: String) -> Result<bool, String> {
    let Some(at) = words.iter().position(|word| word.ends_with("'s")) else { return Ok(false) };
    let who = words.get(..=at).unwrap_or_default().join(" ");
    let session: SessionId = stage.facts.session(who.trim_end_matches("'s"))?.id;
    let command = match words.get(at + 1..).unwrap_or_default() {
        ["session", "starts"] => {
            done(stage, |effect| matches!(effect, Effect::SpawnAgent { session: of } if *of == session));
            Command::ReportStarted { session, agent_session: Some(format!("own-{session}")) }
        }
        ["process", "exits", "with", status] => {
            Command::ReportEnded { session, exit_status: Some(read_value(status)?) }
        }
        ["process", "is", "killed"] => Command::ReportEnded { session, exit_status: None },
        ["session", "was", "stopped"] => Command::ReportStopped { session },
        ["session", "is", "lost"] => Command::ReportLost { session, reason: said },
        ["session", "gets", "no", "room"] => Command::ReportDiskBudgetExceeded { session, reason: said },
        ["inputs", "are", "typed"] => return type_inputs(stage, session).map(|()| true),
        _ => return Ok(false),
    };
    if !matches!(command, Command::ReportStarted { .. }) {
        done(stage, |effect| {
            matches!(effect, Effect::SendInput { session: of, .. } | Effect::SpawnAgent { session: of }
                | Effect::EndSession { session: of } if *of == session)
        });
    }
    stage.wish(&Actor::System, command)?;
    Ok(true)
}

fn type_inputs(stage: &mut Stage, session: SessionId) -> Result<(), String> {
    let is_it = |effect: &Effect| matches!(effect, Effect::SendInput { session: of, .. } if *of == session);
    let typed: Vec<_> = stage.pending.extract_if(.., |(_, effect)| is_it(effect)).collect();
    for (id, effect) in typed {
        let command = stage.hands.report(id, &effect, stage.now);
        stage.wish(&Actor::System, command)?;
    }
    Ok(())
}
