//! Decides whether the tasks below a parent do what its own text asks for.

use super::kiro::{is_test, significant_words};
use crate::{plan::Task, text::strip_bullet};

/// Tells whether every line of the parent's text is also the subject of a child. Tests alone do no work.
pub(super) fn children_cover<'t>(parent: &Task, children: impl Iterator<Item = &'t Task> + Clone) -> bool {
    if children.clone().all(|child| is_test(&child.title)) {
        return false;
    }
    let known = children.map(|child| significant_words(&format!("{} {}", child.title, child.text))).fold(
        significant_words(&parent.title),
        |mut all, words| {
            all.extend(words);
            all
        },
    );
    let lines = parent.text.lines().map(|line| strip_bullet(line.trim()));
    lines.filter(|line| line.chars().any(char::is_alphanumeric)).all(|line| {
        let words = significant_words(line);
        let n_known = words.iter().filter(|word| known.contains(*word)).count();
        2 * n_known >= words.len()
    })
}

#[cfg(test)]
mod tests {
    use super::children_cover;
    use crate::plan::Task;

    fn task(id: &str, title: &str, text: &str) -> Task {
        let mut task = Task::new(id.parse().unwrap(), title.to_owned());
        task.text = text.to_owned();
        task
    }

    #[test]
    fn children_cover_a_text_if_they_name_what_it_asks_for() {
        let parent =
            task("2", "Data models", "- Create the user and session models\n- Validate their fields");
        let models = task("2.1", "Create user model and session model", "");
        let validation = task("2.2", "Validation of fields", "");
        assert!(children_cover(&parent, [&models, &validation].into_iter()));
        assert!(!children_cover(&parent, [&models].into_iter()));
        let test = task("2.1", "Test the user and session models, validate fields", "");
        assert!(!children_cover(&parent, [&test].into_iter()));
    }
}
