//! The content of results, which is in the log once: in the event of the result.

use domain::SessionInput;

/// Bytes of a result that other events and rows have too.
const PREVIEW_BYTES_MAX: usize = 4096;
/// Bytes of the text of an input that the log has.
const TEXT_BYTES_MAX: usize = 64 * 1024;

/// Returns the beginning of a large content, with the number of bytes that it omits.
pub(crate) fn shorten_result(content: &str) -> String {
    shorten(content, PREVIEW_BYTES_MAX)
}

/// Returns the text of an input as the log has it.
pub(crate) fn shorten_input_text(text: &str) -> String {
    shorten(text, TEXT_BYTES_MAX)
}

fn shorten(text: &str, max: usize) -> String {
    let end = text.floor_char_boundary(max);
    if end == text.len() {
        return text.to_owned();
    }
    format!("{}\n[{} more bytes]", text.get(..end).unwrap_or_default(), text.len() - end)
}

/// Returns an input for the log, in which large results are shortened.
pub(crate) fn without_large_results(mut input: SessionInput) -> SessionInput {
    for_each_result(&mut input, &mut |_, content| *content = shorten_result(content));
    input
}

/// Calls a function with the id and the content of each result that an input carries.
pub(crate) fn for_each_result(
    input: &mut SessionInput,
    change: &mut impl FnMut(domain::ResultId, &mut String),
) {
    if let SessionInput::Result { result, content, .. } = input {
        change(*result, content);
    } else if let SessionInput::Task { carried, .. } = input {
        carried.iter_mut().for_each(|part| for_each_result(part, change));
    }
}

#[cfg(test)]
mod tests {
    use super::shorten_result;

    #[test]
    fn a_large_result_is_shortened_at_a_character() {
        assert_eq!(shorten_result("small"), "small");
        let large = format!("a{}", "é".repeat(3000));
        let short = shorten_result(&large);
        assert!(short.starts_with('a') && short.ends_with("[1906 more bytes]"), "{short}");
    }
}
