//! Nouns with a count.

/// Returns `1 task` or `2 tasks`.
pub(crate) fn plural(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
