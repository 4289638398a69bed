//! The report of a run: what it says, and that words of agents and users stay words.

use domain::{Event, Locale, Role, SessionId, Timestamp, Usage, events};
use views::{ReportForm, RunReport, UnprovedWork, render_report};

use crate::sample_log::{SampleLog, fold, golden_log, parse_task_id, sample_agent_name};

const NOW: Timestamp = Timestamp(1_768_986_001_999);

fn report(log: &SampleLog) -> RunReport {
    RunReport::of_rows(log.views.rows(), NOW).unwrap()
}

#[test]
fn the_golden_log_makes_the_same_report() {
    let views = fold(&golden_log());
    let report = RunReport::of_rows(views.rows(), NOW).unwrap();
    insta::assert_snapshot!("report_en", render_report(&report, ReportForm::Markdown, Locale::En));
    insta::assert_snapshot!("report_ko", render_report(&report, ReportForm::Markdown, Locale::Ko));
    insta::assert_snapshot!("report_html", render_report(&report, ReportForm::Html, Locale::En));
    let json = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<RunReport>(&json).unwrap(), report);
}

#[test]
fn coordination_is_apart_from_work() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    log.record(Event::SessionOpened(events::SessionOpened {
        session: SessionId(2),
        parent: None,
        depth: 0,
        role: Role::Orchestrator,
        agent: Some(sample_agent_name()),
        task: None,
        phase: None,
        resumes: None,
    }));
    for (session, tokens) in [(1, 500), (2, 70)] {
        log.record(Event::UsageReported(events::UsageReported {
            session: SessionId(session),
            task: None,
            usage: Usage { input_tokens: tokens, cost_micros: tokens, ..Usage::default() },
        }));
    }
    let usage = report(&log).usage;
    let tokens = [usage.work, usage.verification, usage.coordination, usage.total].map(|used| used.tokens);
    assert_eq!(tokens, [500, 0, 70, 570]);
    assert_eq!(usage.total.cost_micros, 570);
}

#[test]
fn skipped_work_is_not_proved() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.record(Event::TaskSkipped(events::TaskSkipped { task: parse_task_id("T1") }));
    let expected = UnprovedWork::Skipped { task: parse_task_id("T1"), title: "Title of T1".to_owned() };
    assert_eq!(report(&log).unproved, [expected]);
}

/// Titles come from plans, answers from users, and reasons from agents.
#[test]
fn words_of_agents_stay_words() {
    let hostile = "</td><script>alert(1)</script>\n# head | `code` [x](javascript:1) <img src=x onerror=y> \u{202e}\u{1b}[2J";
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.record(Event::TaskAdded(events::TaskAdded {
        task: Box::new(domain::PlannedTask::new(parse_task_id("T2"), 1, hostile.to_owned())),
        in_file: false,
    }));
    let report = report(&log);
    for locale in [Locale::En, Locale::Ko] {
        let html = render_report(&report, ReportForm::Html, locale);
        assert!(html.contains("&lt;script&gt;alert(1)"), "{html}");
        for forbidden in ["<script", "<img", "\u{202e}", "\u{1b}"] {
            assert!(!html.contains(forbidden), "{forbidden}: {html}");
        }
        let markdown = render_report(&report, ReportForm::Markdown, locale);
        assert!(markdown.contains("\\<script\\>alert(1)"), "{markdown}");
        // What is left when the escaped characters are removed has a meaning.
        let markdown = markdown.replace("\\<", "").replace("\\[", "");
        for forbidden in ["<", "\n# head", "[x](", "\u{202e}", "\u{1b}"] {
            assert!(!markdown.contains(forbidden), "{forbidden}: {markdown}");
        }
    }
}
