//! Schedules: past, present, blocked and predicted times.

use domain::{
    BlockedWork, CompletionProof, Complexity, EscalationId, EscalationSubject, EscalationType, Event,
    PlannedTask, QuestionId, QuestionKind, SessionId, Severity, Timestamp, events,
};
use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};
use views::{BarKind, critical_path, schedule};

use crate::{
    engine_run::{EngineRun, RandomChoices},
    sample_log::{SampleLog, parse_task_id, phase},
};

/// Writes a schedule as lines: task, kind, from and to in seconds, and what blocked it.
fn schedule_lines(log: &SampleLog, now_seconds: i64) -> Vec<String> {
    let schedule = schedule(log.views.rows(), Timestamp(now_seconds * 1_000));
    let bars = schedule.bars.iter().map(|bar| {
        let kind = match bar.kind {
            BarKind::Past => "past",
            BarKind::Now => "now",
            BarKind::Blocked => "blocked",
            BarKind::Predicted => "predicted",
        };
        let text = bar.text.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
        format!("{} {kind} {}-{}{text}", bar.task, bar.start_at.0 / 1_000, bar.end_at.0 / 1_000)
    });
    bars.collect()
}

fn task_with_complexity(id: &str, phase: u32, after: &[&str], complexity: Complexity) -> PlannedTask {
    PlannedTask {
        depends_on: after.iter().map(|id| parse_task_id(id)).collect(),
        complexity: Some(complexity),
        ..PlannedTask::new(parse_task_id(id), phase, String::new())
    }
}

fn record_question(log: &mut SampleLog, id: &str, session: u32, text: &str) {
    log.record(Event::QuestionAsked(events::QuestionAsked {
        question: QuestionId(1),
        session: SessionId(session),
        task: Some(parse_task_id(id)),
        kind: QuestionKind::Text,
        category: None,
        text: text.to_owned(),
        options: Vec::new(),
        default: None,
        context: None,
        required: true,
        permission: None,
        similar: None,
        prompt: None,
        evidence_gap: None,
        large_files: Vec::new(),
        blocks: BlockedWork::default(),
    }));
}

#[test]
fn finished_tasks_set_the_pace_of_the_prediction() {
    // T1 takes 10 seconds and is small; so T2, which is large, takes four times as long.
    let mut log = SampleLog::with_planned_tasks(vec![
        task_with_complexity("T1", 1, &[], Complexity::S),
        task_with_complexity("T2", 1, &["T1"], Complexity::L),
        task_with_complexity("T3", 2, &[], Complexity::S),
    ]);
    log.start_task("T1", 1);
    assert_eq!(
        schedule_lines(&log, 4),
        ["T1 now 4-4", "T1 predicted 4-304", "T2 predicted 304-1504", "T3 predicted 1504-1804"]
    );
    (0..9).for_each(|_| {
        drop(
            log.record(Event::ExternalDependencyMet(events::ExternalDependencyMet {
                name: "time".to_owned(),
            })),
        )
    });
    log.record(Event::TaskDone(events::TaskDone {
        task: parse_task_id("T1"),
        proof: CompletionProof::Checked,
    }));
    assert_eq!(schedule_lines(&log, 20), ["T1 past 4-14", "T2 predicted 20-60", "T3 predicted 60-70"]);
}

#[test]
fn a_question_is_a_bar_until_its_answer_is_delivered() {
    let mut log = SampleLog::with_planned_tasks(vec![PlannedTask {
        estimate_ms: Some(60_000),
        ..task_with_complexity("T1", 1, &[], Complexity::S)
    }]);
    log.start_task("T1", 1);
    log.record(Event::ExternalDependencyMet(events::ExternalDependencyMet { name: "time".to_owned() }));
    record_question(&mut log, "T1", 1, "Which?");
    let reason = domain::BlockReason::Question { question: QuestionId(1) };
    log.record(Event::TaskBlocked(events::TaskBlocked { task: parse_task_id("T1"), reason: reason.clone() }));
    assert_eq!(schedule_lines(&log, 30), ["T1 past 4-6", "T1 blocked 6-30: Which?", "T1 predicted 30-88"]);
    log.record(Event::QuestionAnswered(events::QuestionAnswered {
        question: QuestionId(1),
        answer: "That".to_owned(),
        reason: None,
    }));
    log.record(Event::QuestionDelivered(events::QuestionDelivered {
        question: QuestionId(1),
        session: SessionId(1),
    }));
    log.record(Event::TaskUnblocked(events::TaskUnblocked { task: parse_task_id("T1"), reason }));
    log.record(Event::TaskResumed(events::TaskResumed { task: parse_task_id("T1"), session: SessionId(1) }));
    assert_eq!(
        schedule_lines(&log, 12),
        ["T1 past 4-6", "T1 blocked 6-9: Which?", "T1 now 9-12", "T1 predicted 12-67"]
    );
}

#[test]
fn texts_of_jangdan_on_bars_are_in_korean_too() {
    let mut log = SampleLog::with_planned_tasks(vec![task_with_complexity("T1", 1, &[], Complexity::S)]);
    log.start_task("T1", 1);
    log.record(Event::ExternalDependencyMet(events::ExternalDependencyMet { name: "time".to_owned() }));
    log.record(Event::EscalationRaised(events::EscalationRaised {
        escalation: EscalationId(1),
        kind: EscalationType::Blocked,
        severity: Severity::High,
        subject: EscalationSubject::Task { task: parse_task_id("T1") },
        session: None,
        title: "T1 failed 3 times".to_owned(),
        cause: Some(domain::EscalationCause::RepeatedFailure { task: parse_task_id("T1"), failures: 3 }),
        description: String::new(),
        context: String::new(),
        suggested: Vec::new(),
        blocks: BlockedWork::default(),
    }));
    let reason = domain::BlockReason::Escalated { escalation: EscalationId(1) };
    log.record(Event::TaskBlocked(events::TaskBlocked { task: parse_task_id("T1"), reason }));
    let bars = schedule(log.views.rows(), Timestamp(30_000)).bars;
    let said = bars.iter().find(|bar| bar.kind == BarKind::Blocked).unwrap();
    assert_eq!(said.text.as_deref(), Some("T1 failed 3 times"));
    assert_eq!(said.korean.as_deref(), Some("T1 작업 3회 실패"));
}

#[test]
fn predictions_respect_slots_and_failed_dependencies() {
    let tasks = (1..=6).map(|n| task_with_complexity(&format!("T{n}"), 1, &[], Complexity::S));
    let mut log = SampleLog::with_phases(vec![phase(1, &[])], tasks.collect());
    let slots = log.views.rows().run.get(&()).unwrap().slots as usize;
    let lines = schedule_lines(&log, 1);
    let starts_now = lines.iter().filter(|line| line.contains(" 1-")).count();
    assert_eq!((lines.len(), starts_now), (6, slots.min(6)), "{lines:?}");
    log.record(Event::DependencyAdded(events::DependencyAdded {
        earlier: parse_task_id("T1"),
        later: parse_task_id("T2"),
    }));
    log.record(Event::TaskCancelled(events::TaskCancelled { task: parse_task_id("T1") }));
    let schedule = schedule(log.views.rows(), Timestamp(10_000));
    assert_eq!((schedule.n_stuck, schedule.end_at), (1, None));
    assert!(schedule.bars.iter().all(|bar| bar.task != parse_task_id("T2")));
}

#[test]
fn the_critical_path_includes_gates() {
    let log = SampleLog::with_planned_tasks(vec![
        task_with_complexity("T1", 1, &[], Complexity::S),
        task_with_complexity("T2", 1, &[], Complexity::L),
        task_with_complexity("T3", 2, &[], Complexity::S),
        task_with_complexity("T4", 2, &["T3"], Complexity::M),
        task_with_complexity("T5", 2, &[], Complexity::M),
    ]);
    let path = critical_path(log.views.rows(), Timestamp(1_000));
    assert_eq!(path, [parse_task_id("T2"), parse_task_id("T3"), parse_task_id("T4")]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn bars_of_an_attempt_never_overlap_and_the_past_ends_now(seed in any::<u64>()) {
        let mut chance = RandomChoices(seed);
        let mut engine_run = EngineRun::new(&mut chance);
        for _ in 0..200 {
            engine_run.step(&mut chance);
        }
        let now = Timestamp(i64::MAX / 4);
        let schedule = schedule(engine_run.views.rows(), now);
        for pair in schedule.bars.windows(2).filter(|pair| pair[0].task == pair[1].task) {
            prop_assert!(pair[0].end_at <= pair[1].start_at, "{pair:?}");
        }
        for bar in &schedule.bars {
            prop_assert!(bar.start_at <= bar.end_at, "{bar:?}");
            match bar.kind {
                BarKind::Past | BarKind::Now | BarKind::Blocked => prop_assert!(bar.end_at <= now, "{bar:?}"),
                BarKind::Predicted => prop_assert!(bar.start_at >= now, "{bar:?}"),
            }
        }
    }
}
