//! The document of a report: headings, paragraphs, tables and lists, in the language of the reader.
//!
//! Texts are data: the renderers escape them.

use domain::{AttemptFailure, Locale};

use super::{
    CheckReport, PhaseReport, ProblemReport, QuestionReport, RequestReport, RunReport, TaskReport,
    UnprovedWork,
    phrases::Phrases,
    time::{format_duration, format_utc},
};
use crate::{
    AttemptState, UsageTotals, describe_attempt_failure, describe_task_mark, describe_used_cost,
    describe_used_tokens,
};

/// A document of sections.
pub(super) struct Document {
    pub(super) title: String,
    pub(super) sections: Vec<Section>,
}

pub(super) struct Section {
    /// `None` for the one below the title.
    pub(super) heading: Option<String>,
    pub(super) blocks: Vec<Block>,
}

pub(super) enum Block {
    Heading(String),
    Paragraph(String),
    List(Vec<String>),
    Table { head: Vec<String>, rows: Vec<Vec<String>> },
}

/// Language and words of the document.
struct Writer {
    locale: Locale,
    phrases: &'static Phrases,
}

/// Returns the document of a report.
pub(super) fn document(report: &RunReport, locale: Locale) -> Document {
    let writer = Writer { locale, phrases: Phrases::of(locale) };
    let phrases = writer.phrases;
    let title = if report.title.is_empty() { &report.project } else { &report.title };
    let mut sections = vec![
        Section { heading: None, blocks: writer.summary(report) },
        Section { heading: Some(phrases.unproved.to_owned()), blocks: writer.unproved(report) },
    ];
    sections.extend(
        report
            .phases
            .iter()
            .map(|phase| Section { heading: Some(writer.phase_heading(phase)), blocks: writer.phase(phase) }),
    );
    let questions = writer.questions(&report.questions);
    sections.push(Section { heading: Some(phrases.questions.to_owned()), blocks: questions });
    if !report.requests.is_empty() {
        let blocks = vec![writer.requests(&report.requests)];
        sections.push(Section { heading: Some(phrases.requests.to_owned()), blocks });
    }
    let problems = writer.problems(&report.problems);
    sections.push(Section { heading: Some(phrases.problems.to_owned()), blocks: problems });
    sections.push(Section { heading: Some(phrases.time_and_cost.to_owned()), blocks: writer.costs(report) });
    Document { title: format!("{}: {title}", phrases.report), sections }
}

impl Writer {
    fn summary(&self, report: &RunReport) -> Vec<Block> {
        let phrases = self.phrases;
        let counts = &report.tasks;
        let mut parts = vec![format!("{} {}", counts.done, phrases.done)];
        for (number, word) in [
            (counts.failed, phrases.failed),
            (counts.skipped, phrases.skipped),
            (counts.cancelled, phrases.cancelled),
            (counts.blocked, phrases.blocked),
            (counts.waiting + counts.ready, phrases.waiting),
            (counts.running + counts.checking + counts.merging, phrases.running),
        ] {
            if number > 0 {
                parts.push(format!("{number} {word}"));
            }
        }
        let end = report.ended_at.map_or_else(|| phrases.not_ended.to_owned(), format_utc);
        let row = |name: &str, value: String| vec![name.to_owned(), value];
        vec![Block::Table {
            head: Vec::new(),
            rows: vec![
                row(phrases.run, format!("{} · {}", report.run, report.project)),
                row(phrases.state, phrases.run_state(report.status).to_owned()),
                row(phrases.tasks, parts.join(", ")),
                row(phrases.started, format_utc(report.started_at)),
                row(phrases.ended, end),
                row(phrases.made, format_utc(report.made_at)),
            ],
        }]
    }

    fn unproved(&self, report: &RunReport) -> Vec<Block> {
        let phrases = self.phrases;
        if report.unproved.is_empty() {
            return vec![Block::Paragraph(phrases.all_proved.to_owned())];
        }
        let item = |work: &UnprovedWork| match work {
            UnprovedWork::Task { task, title, marks } => {
                let marks: Vec<&str> =
                    marks.iter().map(|mark| describe_task_mark(self.locale, *mark)).collect();
                format!("{task} {title}: {}", marks.join(", "))
            }
            UnprovedWork::DoneBefore { task, title } => format!("{task} {title}: {}", phrases.done_before),
            UnprovedWork::PhaseWithoutCheck { phase } => {
                format!("{}: {}", phrases.phase(*phase), phrases.phase_without_check)
            }
            UnprovedWork::PhaseWaived { phase } => {
                format!("{}: {}", phrases.phase(*phase), phrases.phase_waived)
            }
            UnprovedWork::DefaultUsed { question } => format!("{question}: {}", phrases.default_used),
            UnprovedWork::Skipped { task, title } => format!("{task} {title}: {}", phrases.skipped),
        };
        vec![Block::List(report.unproved.iter().map(item).collect())]
    }

    fn phase_heading(&self, phase: &PhaseReport) -> String {
        let number = self.phrases.phase(phase.number);
        let state = self.phrases.phase_state(phase.state);
        if phase.name.is_empty() {
            format!("{number} ({state})")
        } else {
            format!("{number}: {} ({state})", phase.name)
        }
    }

    fn phase(&self, phase: &PhaseReport) -> Vec<Block> {
        let phrases = self.phrases;
        let mut blocks = Vec::new();
        if let Some(by) = &phase.approved_by {
            let note = phase.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
            blocks.push(Block::Paragraph(format!("{} {by}{note}", phrases.approved_by)));
        }
        let checks: Vec<String> = phase.checks.iter().flat_map(|check| self.check_lines(check)).collect();
        if !checks.is_empty() {
            blocks.push(Block::Paragraph(phrases.gate_checks.to_owned()));
            blocks.push(Block::List(checks));
        }
        let head = [
            phrases.task,
            phrases.state,
            phrases.agent,
            phrases.attempts,
            phrases.estimated,
            phrases.worked,
            phrases.blocked_time,
            phrases.usage,
        ];
        let rows = phase.tasks.iter().map(|task| self.task_row(task)).collect();
        blocks.push(Block::Table { head: head.map(str::to_owned).to_vec(), rows });
        for task in &phase.tasks {
            let lines = self.task_lines(task);
            if !lines.is_empty() {
                blocks.push(Block::Heading(format!("{} {}", task.id, task.title)));
                blocks.push(Block::List(lines));
            }
        }
        blocks
    }

    fn task_row(&self, task: &TaskReport) -> Vec<String> {
        let marks = task.marks.iter().map(|mark| describe_task_mark(self.locale, *mark));
        let state: Vec<&str> = [self.phrases.task_state(task.state)].into_iter().chain(marks).collect();
        vec![
            format!("{} {}", task.id, task.title),
            state.join(", "),
            task.agent.as_ref().map(ToString::to_string).unwrap_or_default(),
            task.attempts.len().to_string(),
            task.estimate_ms.map(|time| format_duration(self.locale, time)).unwrap_or_default(),
            format_duration(self.locale, task.worked_ms),
            format_duration(self.locale, task.blocked_ms),
            self.usage(&task.used),
        ]
    }

    /// Describes failed attempts and checks; a task without a story has no lines.
    fn task_lines(&self, task: &TaskReport) -> Vec<String> {
        let mut lines = Vec::new();
        for attempt in &task.attempts {
            let failure = attempt.failure.as_ref().map(|failure| self.failure(failure));
            let outcome = match (attempt.state, failure, &attempt.claim_reason) {
                (AttemptState::Failed, Some(failure), _) => failure,
                (_, _, Some(reason)) => reason.clone(),
                (
                    AttemptState::Running | AttemptState::Done | AttemptState::Failed | AttemptState::Dropped,
                    _,
                    None,
                ) => {
                    continue;
                }
            };
            lines
                .push(format!("{}: {outcome}", self.phrases.attempt(attempt.number, attempt.agent.as_str())));
        }
        lines.extend(task.checks.iter().flat_map(|check| self.check_lines(check)));
        lines
    }

    fn failure(&self, failure: &AttemptFailure) -> String {
        describe_attempt_failure(self.locale, failure)
    }

    /// Describes a check: its command and outcome, what proves it, and its failed tests.
    fn check_lines(&self, check: &CheckReport) -> Vec<String> {
        let [english, korean] = &check.outcome;
        let outcome = match self.locale {
            Locale::En => english,
            Locale::Ko => korean,
        };
        let took = format_duration(self.locale, check.took_ms);
        let short = |hash: &str| hash.chars().take(12).collect::<String>();
        let mut lines = vec![format!(
            "{} {}: {outcome} ({took}, {} {}, {} {})",
            if check.passed { "✓" } else { "✕" },
            check.command,
            self.phrases.tree,
            short(&check.tree),
            self.phrases.output,
            short(&check.output_hash),
        )];
        lines.extend(check.failed_tests.iter().map(|title| format!("✕ {title}")));
        let listed = u64::try_from(check.failed_tests.len()).unwrap_or(u64::MAX);
        let more = check.n_failed_tests.saturating_sub(listed);
        if more > 0 {
            lines.push(self.phrases.more(more));
        }
        lines
    }

    fn questions(&self, questions: &[QuestionReport]) -> Vec<Block> {
        if questions.is_empty() {
            return vec![Block::Paragraph(self.phrases.none.to_owned())];
        }
        let row = |question: &QuestionReport| {
            let text = match (self.locale, &question.korean) {
                (Locale::Ko, Some(korean)) => korean,
                (Locale::Ko, None) | (Locale::En, _) => &question.text,
            };
            let asked_by = question
                .task
                .iter()
                .map(ToString::to_string)
                .chain(question.agent.iter().map(ToString::to_string));
            vec![
                question.id.to_string(),
                asked_by.collect::<Vec<_>>().join(" "),
                text.clone(),
                question
                    .answer
                    .clone()
                    .unwrap_or_else(|| self.phrases.question_state(question.status).to_owned()),
                question.answered_by.clone().unwrap_or_default(),
                question.waited_ms.map(|time| format_duration(self.locale, time)).unwrap_or_default(),
            ]
        };
        let phrases = self.phrases;
        let head =
            ["", phrases.asked_by, phrases.question, phrases.answer, phrases.answered_by, phrases.waited];
        vec![Block::Table {
            head: head.map(str::to_owned).to_vec(),
            rows: questions.iter().map(row).collect(),
        }]
    }

    fn requests(&self, requests: &[RequestReport]) -> Block {
        let phrases = self.phrases;
        let row = |request: &RequestReport| {
            let names = request.task.iter().map(ToString::to_string);
            let asked_by = names.chain(request.agent.iter().map(ToString::to_string));
            let mut outcome = phrases.request_state(request.status).to_owned();
            if request.is_default {
                outcome = format!("{outcome}, {}", phrases.with_default);
            }
            if let Some(reason) = &request.reason {
                outcome = format!("{outcome}: {reason}");
            }
            let request_text = match request.description.is_empty() {
                true => request.name.clone(),
                false => format!("{}: {}", request.name, request.description),
            };
            vec![
                request.id.to_string(),
                asked_by.collect::<Vec<_>>().join(" "),
                phrases.request_type(request.r#type).to_owned(),
                request_text,
                outcome,
                request.resolved_by.clone().unwrap_or_default(),
                request.waited_ms.map(|time| format_duration(self.locale, time)).unwrap_or_default(),
            ]
        };
        let head = [
            "",
            phrases.asked_by,
            phrases.kind,
            phrases.request,
            phrases.outcome,
            phrases.decided_by,
            phrases.waited,
        ];
        Block::Table { head: head.map(str::to_owned).to_vec(), rows: requests.iter().map(row).collect() }
    }

    fn problems(&self, problems: &[ProblemReport]) -> Vec<Block> {
        if problems.is_empty() {
            return vec![Block::Paragraph(self.phrases.none.to_owned())];
        }
        let line = |problem: &ProblemReport| {
            let title = match (self.locale, &problem.korean) {
                (Locale::Ko, Some(korean)) => korean,
                (Locale::Ko, None) | (Locale::En, _) => &problem.title,
            };
            let mut line = format!("{} {title}", problem.id);
            if problem.is_open {
                line.push_str(&format!(" ({})", self.phrases.open));
            } else {
                let decision = problem.action.as_ref().map(|action| self.phrases.decision(action));
                let decision = decision.unwrap_or_else(|| self.phrases.cause_disappeared.to_owned());
                line.push_str(&format!(" → {decision}"));
            }
            if let Some(by) = &problem.resolved_by {
                line.push_str(&format!(", {by}"));
            }
            if let Some(note) = problem.note.as_ref().filter(|note| !note.is_empty()) {
                line.push_str(&format!(": {note}"));
            }
            line
        };
        vec![Block::List(problems.iter().map(line).collect())]
    }

    fn costs(&self, report: &RunReport) -> Vec<Block> {
        let phrases = self.phrases;
        let time = &report.time;
        let duration = |milliseconds| format_duration(self.locale, milliseconds);
        let predicted = match time.predicted_ms {
            Some(milliseconds) if time.n_unestimated > 0 => {
                format!("{} ({})", duration(milliseconds), phrases.unestimated(time.n_unestimated))
            }
            Some(milliseconds) => duration(milliseconds),
            None => phrases.no_estimates.to_owned(),
        };
        let row = |name: &str, value: String| vec![name.to_owned(), value];
        let used = |used: &UsageTotals| self.usage(used);
        let usage = &report.usage;
        vec![
            Block::Table {
                head: Vec::new(),
                rows: vec![
                    row(phrases.predicted, predicted),
                    row(phrases.elapsed, duration(time.elapsed_ms)),
                    row(phrases.worked, duration(time.worked_ms)),
                    row(phrases.blocked_time, duration(time.blocked_ms)),
                ],
            },
            Block::Table {
                head: Vec::new(),
                rows: vec![
                    row(phrases.work, used(&usage.work)),
                    row(phrases.verification, used(&usage.verification)),
                    row(phrases.coordination, used(&usage.coordination)),
                    row(phrases.total, used(&usage.total)),
                ],
            },
        ]
    }

    fn usage(&self, used: &UsageTotals) -> String {
        if used.tokens == 0 && used.cost_micros == 0 && !used.is_partial {
            return "–".to_owned();
        }
        format!("{} · {}", describe_used_tokens(self.locale, used), describe_used_cost(self.locale, used))
    }
}
