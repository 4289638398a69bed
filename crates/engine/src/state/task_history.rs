//! What became known while a task was worked on, for its next attempt and for the tasks that build on it.

use domain::{AttemptNumber, EarlierFailure, TestFeedback};

/// Failures that are kept; the last ones matter.
const FAILURES_MAX: usize = 8;
/// Names of failed tests that are kept of a round.
const NAMES_MAX: usize = 12;
const NAME_BYTES_MAX: usize = 160;
const TEXT_BYTES_MAX: usize = 300;
/// Decisions and results that are kept; the last ones matter.
const HANDOFFS_MAX: usize = 4;

/// The history of a task.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct TaskHistory {
    /// The oldest first.
    pub(crate) failures: Vec<EarlierFailure>,
    /// Questions of its agent with their answers, the oldest first.
    pub(crate) decisions: Vec<(String, String)>,
    /// What its agent delivered to others: the receiver, and the beginning of the content.
    pub(crate) results: Vec<(String, String)>,
    /// What its agent reported since the last failure.
    pub(crate) tried: Option<String>,
}

impl TaskHistory {
    pub(crate) fn add_failed_round(
        &mut self,
        attempt: AttemptNumber,
        round: u32,
        feedback: &TestFeedback,
        words: &str,
    ) {
        let failed: Vec<String> = feedback
            .failures
            .iter()
            .take(NAMES_MAX)
            .map(|failure| one_line(&failure.name, NAME_BYTES_MAX))
            .collect();
        let n_failures = u32::try_from(feedback.failures.len()).unwrap_or(u32::MAX);
        let reason = feedback.text.as_deref().filter(|_| failed.is_empty());
        self.add(
            EarlierFailure {
                attempt,
                round: Some(round),
                failed,
                n_failed: n_failures.saturating_add(feedback.n_unlisted),
                reason: reason.map(|text| one_line(text, TEXT_BYTES_MAX)),
                tried: None,
            },
            words,
        );
    }

    pub(crate) fn add_failed_attempt(&mut self, attempt: AttemptNumber, reason: &str, words: &str) {
        self.add(
            EarlierFailure {
                attempt,
                round: None,
                failed: Vec::new(),
                n_failed: 0,
                reason: Some(one_line(reason, TEXT_BYTES_MAX)),
                tried: None,
            },
            words,
        );
    }

    fn add(&mut self, failure: EarlierFailure, words: &str) {
        let words = words
            .lines()
            .rev()
            .find(|line| !line.trim().is_empty())
            .map(|line| one_line(line, TEXT_BYTES_MAX));
        let tried = self.tried.take().or(words);
        self.failures.push(EarlierFailure { tried, ..failure });
        let excess = self.failures.len().saturating_sub(FAILURES_MAX);
        self.failures.drain(..excess);
    }

    pub(crate) fn add_decision(&mut self, question: &str, answer: &str) {
        push_bounded(&mut self.decisions, question, answer);
    }

    pub(crate) fn add_result(&mut self, receiver: &str, content: &str) {
        push_bounded(&mut self.results, receiver, content);
    }
}

fn push_bounded(pairs: &mut Vec<(String, String)>, left: &str, right: &str) {
    pairs.push((one_line(left, TEXT_BYTES_MAX), one_line(right, TEXT_BYTES_MAX)));
    let excess = pairs.len().saturating_sub(HANDOFFS_MAX);
    pairs.drain(..excess);
}

/// Returns the beginning of a text on one line.
fn one_line(text: &str, bytes_max: usize) -> String {
    let words = text.get(..text.floor_char_boundary(4 * bytes_max)).unwrap_or_default();
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    line.get(..line.floor_char_boundary(bytes_max)).unwrap_or_default().to_owned()
}

/// Tells the failures of a task in lines, the oldest first, as context for the escalation.
pub(crate) fn failure_story(failures: &[EarlierFailure]) -> Vec<String> {
    let mut lines = Vec::new();
    for EarlierFailure { attempt, round, failed, n_failed, reason, tried } in failures {
        let round = round.map(|round| format!(", round {round}")).unwrap_or_default();
        let mut what = failed.join(", ");
        let listed = u32::try_from(failed.len()).unwrap_or(u32::MAX);
        if *n_failed > listed {
            what.push_str(&format!(" and {} more", n_failed - listed));
        }
        what.push_str(reason.as_deref().unwrap_or_default());
        lines.push(format!("attempt {attempt}{round}: {what}"));
        lines.extend(tried.as_ref().map(|tried| format!("  its agent had reported: {tried}")));
    }
    if let Some((last, before)) = failures.split_last() {
        let still: Vec<&str> = last
            .failed
            .iter()
            .filter(|name| before.iter().any(|earlier| earlier.failed.contains(name)))
            .map(String::as_str)
            .collect();
        if !still.is_empty() {
            lines.push(format!("still failing: {}", still.join(", ")));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use domain::{TestFailure, TestFeedback};

    use super::{FAILURES_MAX, TEXT_BYTES_MAX, TaskHistory, failure_story};

    fn feedback(names: &[&str]) -> TestFeedback {
        let failure = |name: &&str| TestFailure { name: (*name).to_owned(), ..TestFailure::default() };
        TestFeedback { failures: names.iter().map(failure).collect(), ..TestFeedback::default() }
    }

    #[test]
    fn story_names_what_still_fails_and_what_was_tried() {
        let mut history = TaskHistory { tried: Some("rounded the sum".to_owned()), ..TaskHistory::default() };
        history.add_failed_round(1, 1, &feedback(&["sum", "tax"]), "other words");
        history.add_failed_attempt(1, "the agent was lost", "I try\nthe other way\n");
        history.add_failed_round(2, 2, &feedback(&["tax"]), "");
        let story = [
            "attempt 1, round 1: sum, tax",
            "  its agent had reported: rounded the sum",
            "attempt 1: the agent was lost",
            "  its agent had reported: the other way",
            "attempt 2, round 2: tax",
            "still failing: tax",
        ];
        assert_eq!(failure_story(&history.failures), story);
    }

    #[test]
    fn history_is_bounded() {
        let mut history = TaskHistory::default();
        let long = "가나 ".repeat(1000);
        for round in 0..100 {
            history.add_failed_round(1, round, &feedback(&[long.as_str(); 100]), &long);
            history.add_decision(&long, &long);
        }
        assert_eq!((history.failures.len(), history.failures[0].round), (FAILURES_MAX, Some(92)));
        assert_eq!((history.failures[0].failed.len(), history.failures[0].n_failed), (12, 100));
        assert!(history.decisions.iter().all(|(question, _)| question.len() <= TEXT_BYTES_MAX));
        assert_eq!(history.decisions.len(), 4);
    }
}
