//! Finds the known name that a misspelled one resembles.

/// Longer names are not compared: the comparison is quadratic.
const NAME_BYTES_MAX: usize = 64;

/// Returns the most similar of `names`, if one is similar enough.
pub fn closest_name<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = normalized(word)?;
    let distance_max = (word.chars().count() / 3).clamp(1, 4);
    let distance = |name: &'a str| Some((strsim::damerau_levenshtein(&word, &normalized(name)?), name));
    let similar = names.into_iter().filter_map(distance).filter(|(distance, _)| *distance <= distance_max);
    similar.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// Removes differences in case and separators: `maxConcurrency`, `max-concurrency`. `None` if the name is too long.
fn normalized(word: &str) -> Option<String> {
    let is_letter = |char: &char| !matches!(char, '_' | '-' | ' ' | '.');
    (word.len() <= NAME_BYTES_MAX).then(|| word.to_lowercase().chars().filter(is_letter).collect())
}

#[cfg(test)]
mod tests {
    use super::closest_name;

    #[test]
    fn misspelled_names_are_recognised_and_other_words_are_not() {
        let names = ["max_concurrency", "max_retries", "timeout_per_task", "allow", "deny"];
        let check =
            |word: &str, expected: Option<&str>| assert_eq!(closest_name(word, names), expected, "{word}");
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
