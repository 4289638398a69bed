//! What somebody meant who wrote something else.

/// Longer words are no slip of the hand; comparing them would take long.
const WORD_BYTES_MAX: usize = 64;

/// Returns the name that is most like a word, if one is like it at all.
pub(crate) fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = plain(word)?;
    let far_max = (word.chars().count() / 3).clamp(1, 4);
    let far = |name: &'a str| Some((strsim::damerau_levenshtein(&word, &plain(name)?), name));
    let near = names.into_iter().filter_map(far).filter(|(far, _)| *far <= far_max);
    near.min_by_key(|(far, _)| *far).map(|(_, name)| name)
}

/// Returns a word without what people write differently: `maxConcurrency`, `max-concurrency`.
fn plain(word: &str) -> Option<String> {
    let is_sign = |sign: &char| !matches!(sign, '_' | '-' | ' ' | '.');
    (word.len() <= WORD_BYTES_MAX).then(|| word.to_lowercase().chars().filter(is_sign).collect())
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_seen_and_another_word_is_not() {
        let names = ["max_concurrency", "max_retries", "timeout_per_task", "allow", "deny"];
        let check = |word: &str, expected: Option<&str>| assert_eq!(nearest(word, names), expected, "{word}");
        check("max_concurency", Some("max_concurrency"));
        check("maxConcurrency", Some("max_concurrency"));
        check("Max-Retries", Some("max_retries"));
        check("MAX_RETRIES", Some("max_retries"));
        check("alow", Some("allow"));
        check("dney", Some("deny"));
        check("colour", None);
        check("", None);
        check(&"max_concurrency".repeat(100), None);
    }
}
