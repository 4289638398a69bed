//! Numbers with their word.

/// Returns `1 task` or `2 tasks`.
pub fn plural(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}
