//! Reports of the executor that a scenario states itself: `the check of T1 fails`.

use domain::{
    AttemptNumber, CheckObstacle, CheckpointOutcome, DocumentState, EffectId, GateReport, MergeOutcome,
    MovedRef, ProvisionOutcome, Receipt, Report, ReportedDocument, RequestId, SessionId, TaskId, TaskOverlap,
};
use engine::Effect;

use crate::{
    fake_executor::check_receipt,
    runner::ScenarioRunner,
    setup::{parse_value, read_list, read_planned_work},
};

/// Sends the report of a line, and returns whether the line is one.
pub(crate) fn send_report_of_line(
    runner: &mut ScenarioRunner,
    words: &[&str],
    tail: Option<&str>,
) -> Result<bool, String> {
    let text = tail.unwrap_or_default().to_owned();
    let report = match words {
        ["the", "executor", "finishes"] => return finish_pending_effects(runner).map(|()| true),
        [task, "changes", "a", "file"] => {
            runner.executor.change_file(parse_value(task)?);
            return Ok(true);
        }
        [task, "has", path, "of", mebibytes, "MiB"] => {
            let bytes = parse_value::<u64>(mebibytes)? << 20;
            runner.executor.write_large_file(parse_value(task)?, (*path).to_owned(), bytes);
            return Ok(true);
        }
        [task, "removes", path] => {
            runner.executor.remove_large_file(&parse_value(task)?, path);
            return Ok(true);
        }
        ["the", "check", "of", task, outcome @ ("passes" | "fails")] => {
            check_report(runner, task, None, outcome, &text)?
        }
        ["the", "check", "of", task, "passes", "on", commit] => {
            let mut report = check_report(runner, task, None, "passes", "")?;
            if let Report::CheckFinished { receipt, .. } = &mut report {
                receipt.commit = Some((*commit).to_owned());
            }
            report
        }
        ["the", "check", "of", task, "cannot", "run"] => {
            let mut report = check_report(runner, task, None, "fails", "")?;
            if let Report::CheckFinished { receipt, .. } = &mut report {
                *receipt = unrunnable_receipt(receipt.clone(), text);
            }
            report
        }
        ["the", "check", "of", "attempt", attempt, "of", task, outcome @ ("passes" | "fails")] => {
            check_report(runner, task, Some(parse_value(attempt)?), outcome, &text)?
        }
        [task, "merges"] => merge_report(
            runner,
            task,
            MergeOutcome::Merged {
                commit: format!("merge-of-{task}"),
                receipt: None,
                tree: None,
                onto: None,
            },
        )?,
        [task, "merge", ..] if task.ends_with("'s") => {
            let outcome = merge_outcome(runner, words.get(2..).unwrap_or_default(), text)?;
            merge_report(runner, task.trim_end_matches("'s"), outcome)?
        }
        ["the", "plan", "file", "says"] => {
            Report::PlanChanged { work: Box::new(read_planned_work(&text)?), has_assigned_ids: false }
        }
        ["the", "plan", "file", "without", "ids", "says"] => {
            Report::PlanChanged { work: Box::new(read_planned_work(&text)?), has_assigned_ids: true }
        }
        [agent @ .., "acts", "as", "the", "user"] => {
            let session = runner.facts.session(&agent.join(" "))?.id;
            let process = format!("r1-{session}-1");
            Report::UserActRefused { session: Some(session), process, request: text }
        }
        ["the", "plan", "file", "is", "broken"] => Report::PlanUnreadable { problem: text },
        [first, "and", second, "both", "change", files @ ..] => {
            let files: Vec<String> = read_list(files)?;
            let n_files = u32::try_from(files.len()).unwrap_or(u32::MAX);
            let tasks = [parse_value(first)?, parse_value(second)?];
            Report::OverlapsFound { overlaps: vec![TaskOverlap { tasks, files, n_files }] }
        }
        ["the", "disk", "is", "full", "for", step @ ..] => {
            Report::DiskFull { effect: remove_pending_step(runner, step)?, error: text }
        }
        ["a", "ref", "is", "moved", "for", step @ ..] => {
            Report::RefMoved { effect: Some(remove_pending_step(runner, step)?), moved: moved_ref(text) }
        }
        ["a", "ref", "is", "moved"] => Report::RefMoved { effect: None, moved: moved_ref(text) },
        [person, "types", bytes, "bytes", "into", owner, "session"] => Report::KeysTyped {
            person: (*person).to_owned(),
            session: runner.facts.session(owner.trim_end_matches("'s"))?.id,
            bytes: parse_value(bytes)?,
        },
        [person, "types", bytes, "bytes", "into", session] => Report::KeysTyped {
            person: (*person).to_owned(),
            session: parse_value(session)?,
            bytes: parse_value(bytes)?,
        },
        ["the", "executor", "fails", "at", step @ ..] => {
            Report::ExecutionFailed { effect: remove_pending_step(runner, step)?, error: text }
        }
        ["the", "provision", "of", request, outcome @ ("succeeds" | "fails")] => {
            let request: RequestId = parse_value(request)?;
            let is_of_request = |effect: &Effect| matches!(effect, Effect::ProvideResource(order) if order.request == request);
            let position = runner.pending.iter().position(|(_, effect)| is_of_request(effect));
            let (effect, pending) = runner.pending.remove(position.ok_or("is not about a pending effect")?);
            match *outcome {
                "succeeds" => runner.executor.success_report(effect, &pending, runner.now),
                _ => {
                    let outcome = ProvisionOutcome::Failed { error: text };
                    Report::ProvisionFinished { effect, request, outcome }
                }
            }
        }
        ["disk", "space", "is", "available"] => Report::DiskSpaceAvailable,
        ["no", "tasks", "change", "the", "same", "files"] => Report::OverlapsFound { overlaps: Vec::new() },
        ["the", "gate", "of", "phase", phase, outcome @ ..] => gate_report(runner, phase, outcome, text)?,
        ["the", "checkpoint", "of", task, outcome @ ..] => checkpoint_report(runner, task, outcome, text)?,
        _ => return send_session_report(runner, words, text),
    };
    runner.execute_input(report.into())?;
    Ok(true)
}

fn moved_ref(name: String) -> MovedRef {
    MovedRef { name, found: "f0f0".to_owned(), recorded: "a1a1".to_owned() }
}

/// Reports success for all pending effects.
fn finish_pending_effects(runner: &mut ScenarioRunner) -> Result<(), String> {
    for (id, effect) in std::mem::take(&mut runner.pending) {
        let report = runner.executor.success_report(id, &effect, runner.now);
        runner.execute_input(report.into())?;
    }
    Ok(())
}

/// Removes reported effects from the pending ones.
fn remove_pending_effects(runner: &mut ScenarioRunner, is_reported: impl Fn(&Effect) -> bool) {
    runner.pending.retain(|(_, effect)| !is_reported(effect));
}

/// Removes the pending check, merge or checkpoint of a task, and returns its id.
fn remove_pending_step(runner: &mut ScenarioRunner, step: &[&str]) -> Result<EffectId, String> {
    let is_step = |effect: &Effect| match (step, effect) {
        (["the", "check", "of", owner], Effect::RunCheck(order)) => order.task.as_str() == *owner,
        (["the", "merge", "of", owner], Effect::Merge(order)) => order.task.as_str() == *owner,
        (["the", "checkpoint", "of", owner], Effect::MakeCheckpoint { task, .. }) => task.as_str() == *owner,
        _ => false,
    };
    let position = runner.pending.iter().position(|(_, effect)| is_step(effect));
    let position = position.ok_or("is not about a pending effect")?;
    let (effect, _) = runner.pending.remove(position);
    Ok(effect)
}

fn attempt_of(runner: &ScenarioRunner, task: &str) -> AttemptNumber {
    runner.facts.counts.get(task).copied().unwrap_or(1)
}

fn check_report(
    runner: &mut ScenarioRunner,
    task: &str,
    attempt: Option<AttemptNumber>,
    outcome: &str,
    output: &str,
) -> Result<Report, String> {
    let task: TaskId = parse_value(task)?;
    let attempt = attempt.unwrap_or_else(|| attempt_of(runner, task.as_str()));
    let mut command = "check".to_owned();
    for (_, effect) in &runner.pending {
        if let Effect::RunCheck(order) = effect
            && order.task == task
        {
            command.clone_from(&order.command);
        }
    }
    remove_pending_effects(runner, |effect| matches!(effect, Effect::RunCheck(order) if order.task == task));
    let exit_status = i32::from(outcome == "fails");
    Ok(Report::CheckFinished {
        task,
        attempt,
        receipt: check_receipt(&command, exit_status, output, runner.now),
    })
}

/// Returns the receipt of a check whose program is not on `PATH`; `program: output` is the text of the step.
fn unrunnable_receipt(receipt: Receipt, text: String) -> Receipt {
    let (program, output) = text.split_once(": ").map_or((text.as_str(), ""), |parts| parts);
    Receipt {
        exit_status: None,
        obstacle: Some(CheckObstacle::ProgramNotFound { program: program.to_owned() }),
        output_tail: output.to_owned(),
        ..receipt
    }
}

fn merge_outcome(runner: &ScenarioRunner, words: &[&str], text: String) -> Result<MergeOutcome, String> {
    match words {
        ["conflicts", "in", files @ ..] => Ok(MergeOutcome::Conflicted { files: read_list(files)? }),
        ["breaks", "its", "check"] => {
            Ok(MergeOutcome::CheckFailed { receipt: check_receipt("check", 1, &text, runner.now) })
        }
        ["cannot", "run", "its", "check"] => Ok(MergeOutcome::CheckFailed {
            receipt: unrunnable_receipt(check_receipt("check", 1, "", runner.now), text),
        }),
        ["fails"] => Ok(MergeOutcome::Failed { error: text }),
        _ => Err("is not an outcome of a merge".to_owned()),
    }
}

fn merge_report(runner: &mut ScenarioRunner, task: &str, outcome: MergeOutcome) -> Result<Report, String> {
    let task: TaskId = parse_value(task)?;
    let attempt = attempt_of(runner, task.as_str());
    remove_pending_effects(runner, |effect| matches!(effect, Effect::Merge(order) if order.task == task));
    Ok(Report::MergeFinished { task, attempt, outcome })
}

fn gate_report(
    runner: &mut ScenarioRunner,
    phase: &str,
    outcome: &[&str],
    summary: String,
) -> Result<Report, String> {
    let mut report = GateReport { summary, ..GateReport::default() };
    match outcome {
        ["passes"] => report.passed = true,
        ["fails"] => {}
        ["fails", "because", "of", tasks @ ..] => report.tasks = read_list(tasks)?,
        // The executor has examined the phase, and the engine decides that it does not pass.
        ["has", "no", files @ ..] => {
            let missing = |path| ReportedDocument { path, state: DocumentState::Missing };
            report.passed = true;
            report.documents = read_list(files)?.into_iter().map(missing).collect();
        }
        ["lacks", files @ ..] => (report.passed, report.missing) = (true, read_list(files)?),
        ["cannot", "run", "its", "check"] => {
            report.passed = true;
            let text = std::mem::take(&mut report.summary);
            report.receipts.push(unrunnable_receipt(check_receipt("check", 1, "", runner.now), text));
        }
        _ => return Err("is not an outcome of a gate".to_owned()),
    }
    let phase = parse_value(phase)?;
    let round = runner.facts.counts.get(&format!("phase {phase}")).copied().unwrap_or(1);
    remove_pending_effects(runner, |effect| matches!(effect, Effect::CheckGate(gate) if gate.phase == phase));
    Ok(Report::GateChecked { phase, round, report })
}

fn checkpoint_report(
    runner: &mut ScenarioRunner,
    task: &str,
    outcome: &[&str],
    text: String,
) -> Result<Report, String> {
    let requested = runner.pending.iter().find_map(|(_, effect)| match effect {
        Effect::MakeCheckpoint { checkpoint, task: owner, large_files, .. } if owner.as_str() == task => {
            Some((*checkpoint, large_files.clone()))
        }
        _ => None,
    });
    let (checkpoint, large_files) = requested.ok_or("no such checkpoint was requested")?;
    remove_pending_effects(
        runner,
        |effect| matches!(effect, Effect::MakeCheckpoint { checkpoint: owner, .. } if *owner == checkpoint),
    );
    let (tree, large_files) = runner.executor.tree(&parse_value(task)?, &large_files);
    let outcome = match outcome {
        ["is", "made"] => CheckpointOutcome::Made {
            commit: format!("commit-of-{checkpoint}"),
            agent_session: None,
            tree,
            large_files,
        },
        ["fails"] => CheckpointOutcome::Failed { error: text },
        _ => return Err("is not an outcome of a checkpoint".to_owned()),
    };
    Ok(Report::CheckpointFinished { checkpoint, outcome })
}

fn send_session_report(runner: &mut ScenarioRunner, words: &[&str], text: String) -> Result<bool, String> {
    let Some(at) = words.iter().position(|word| word.ends_with("'s")) else { return Ok(false) };
    let owner = words.get(..=at).unwrap_or_default().join(" ");
    let session: SessionId = runner.facts.session(owner.trim_end_matches("'s"))?.id;
    let report = match words.get(at + 1..).unwrap_or_default() {
        ["session", "starts"] => {
            remove_pending_effects(
                runner,
                |effect| matches!(effect, Effect::SpawnAgent(assignment) if assignment.session == session),
            );
            Report::SessionStarted { session, agent_session: Some(format!("own-{session}")) }
        }
        ["process", "exits", "with", status] => {
            Report::SessionEnded { session, exit_status: Some(parse_value(status)?) }
        }
        ["process", "is", "killed"] => Report::SessionEnded { session, exit_status: None },
        ["session", "was", "stopped"] => Report::SessionStopped { session },
        ["session", "is", "lost"] => Report::SessionLost { session, reason: text },
        ["session", "gets", "no", "worktree"] => Report::DiskBudgetExceeded { session, reason: text },
        ["inputs", "are", "sent"] => return report_inputs_sent(runner, session).map(|()| true),
        _ => return Ok(false),
    };
    if !matches!(report, Report::SessionStarted { .. }) {
        remove_pending_effects(runner, |effect| match effect {
            Effect::SpawnAgent(assignment) => assignment.session == session,
            Effect::SendInput { session: owner, .. } | Effect::EndSession { session: owner } => {
                *owner == session
            }
            _ => false,
        });
    }
    runner.execute_input(report.into())?;
    Ok(true)
}

fn report_inputs_sent(runner: &mut ScenarioRunner, session: SessionId) -> Result<(), String> {
    let is_reported =
        |effect: &Effect| matches!(effect, Effect::SendInput { session: owner, .. } if *owner == session);
    let sent: Vec<_> = runner.pending.extract_if(.., |(_, effect)| is_reported(effect)).collect();
    for (id, effect) in sent {
        let report = runner.executor.success_report(id, &effect, runner.now);
        runner.execute_input(report.into())?;
    }
    Ok(())
}
