//! Text helpers: line joining, normalization, code spans, value lists.
//!
//! Functions come in inverse pairs (`quote_code` and `unquote_code`), so that a written plan parses back.

use std::{borrow::Cow, ops::Range};

/// Longer runs of backticks do not open a code span.
const CODE_TICKS_MAX: usize = 64;

/// Returns the span of a slice within the text it was cut from, plus `base`.
pub(crate) fn span_of_slice(whole: &str, part: &str, base: usize) -> Range<usize> {
    let start = base + (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    start..start + part.len()
}

/// Shortens a text for a message and replaces control characters, which a terminal might interpret.
pub(crate) fn truncate_for_message(text: &str) -> String {
    const CHARACTERS_MAX: usize = 60;
    let line = text.lines().next().unwrap_or_default();
    let mut characters = line.chars();
    let mut short: String = characters
        .by_ref()
        .take(CHARACTERS_MAX)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    if characters.next().is_some() || line.len() < text.trim_end().len() {
        short.push('…');
    }
    short
}

/// Equivalent to `str::trim`, but fast for text that begins and ends with ASCII.
pub(crate) fn trim(text: &str) -> &str {
    let trimmed = text.trim_ascii();
    match trimmed.as_bytes() {
        [one] if one.is_ascii_graphic() => trimmed,
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => trimmed,
        // The ASCII trim of an empty text points to its end, `str::trim` to its start.
        _ => text.trim(),
    }
}

/// Equivalent to `str::trim_start`, but fast for text that begins with ASCII.
pub(crate) fn trim_start(text: &str) -> &str {
    let trimmed = text.trim_ascii_start();
    match trimmed.as_bytes().first() {
        Some(first) if first.is_ascii_graphic() => trimmed,
        _ => trimmed.trim_start(),
    }
}

/// Joins the non-empty lines with single spaces.
pub(crate) fn join_lines(text: &str) -> String {
    let text = trim(text);
    if memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none() {
        return text.to_owned();
    }
    text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the normal form of a multi-line text: line feeds only, no blank lines around it.
pub(crate) fn normalize_text(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let text = normalize_line_ends(text);
    let mut rest: &str = text.trim_end();
    while let Some((line, next)) = rest.split_once('\n')
        && line.trim().is_empty()
    {
        rest = next;
    }
    if rest.trim().is_empty() { String::new() } else { rest.to_owned() }
}

fn normalize_line_ends(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\r', text.as_bytes()).is_some() {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns the offset at which the line of `at` begins.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    // Bounded, because a line of nothing but list markers would make this quadratic.
    const BYTES_MAX: usize = 1_024;
    let from = at.saturating_sub(BYTES_MAX);
    match memchr::memrchr(b'\n', text.as_bytes().get(from..at).unwrap_or_default()) {
        Some(newline) => from + newline + 1,
        None if from == 0 => 0,
        None => at,
    }
}

/// Returns the width of a line's indentation; tabs extend to multiples of four.
pub(crate) fn indent_width(line: &str) -> usize {
    let mut columns = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += 4 - columns % 4,
            _ => break,
        }
    }
    columns
}

/// Removes up to `columns` columns of indentation.
pub(crate) fn dedent(line: &str, columns: usize) -> &str {
    let mut column = 0;
    for (at, byte) in line.bytes().enumerate() {
        if column >= columns {
            return &line[at..];
        }
        match byte {
            b' ' => column += 1,
            b'\t' => column += 4 - column % 4,
            _ => return &line[at..],
        }
    }
    ""
}

/// Splits a leading check box into its mark, the span of the mark and the rest.
pub(crate) fn parse_checkbox(text: &str) -> Option<(char, Range<usize>, &str)> {
    let inside = text.strip_prefix('[')?;
    let mark = inside.chars().next()?;
    let (mark, width) = if mark == ']' { (' ', 0) } else { (mark, mark.len_utf8()) };
    if !matches!(mark, ' ' | 'x' | 'X' | '-' | '~' | '/' | '>' | '!' | '✓' | '✔' | '✅' | '☑') {
        return None;
    }
    let rest = inside.get(width..)?.strip_prefix(']')?;
    Some((mark, 1..1 + width, rest))
}

pub(crate) fn is_checked(mark: char) -> bool {
    matches!(mark, 'x' | 'X' | '✓' | '✔' | '✅' | '☑')
}

/// Returns the content of a text that consists of a single code span.
pub(crate) fn unquote_code(text: &str) -> Option<&str> {
    let n_ticks = count_backticks(text);
    if n_ticks == 0 || text.len() < 2 * n_ticks + 1 {
        return None;
    }
    let (content, closing) = text[n_ticks..].split_at(code_span_end(&text[n_ticks..], n_ticks)?);
    if closing.len() != n_ticks {
        return None;
    }
    let padded = content.strip_prefix(' ').and_then(|content| content.strip_suffix(' '));
    Some(padded.unwrap_or(content).trim())
}

fn count_backticks(text: &str) -> usize {
    text.bytes().take_while(|&byte| byte == b'`').count()
}

/// Returns where the closing run of exactly `n_ticks` backticks begins on the same line.
fn code_span_end(text: &str, n_ticks: usize) -> Option<usize> {
    // Each length can fail once per line; the limit bounds how often a malicious line is scanned.
    if n_ticks > CODE_TICKS_MAX {
        return None;
    }
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'`', b'\n', &text.as_bytes()[at..]) {
        let start = at + found;
        if text.as_bytes()[start] == b'\n' {
            return None;
        }
        let run = count_backticks(&text[start..]);
        if run == n_ticks {
            return Some(start);
        }
        at = start + run;
    }
    None
}

/// Returns a single-line text as a code span.
pub(crate) fn quote_code(text: &str) -> String {
    let ticks = "`".repeat(longest_run(text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// Returns the length of the longest run of a character.
pub(crate) fn longest_run(text: &str, sought: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for character in text.chars() {
        run = if character == sought { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Returns the content of a text that consists of a single fenced code block.
pub(crate) fn unfence_code(text: &str) -> Option<&str> {
    let text = text.trim();
    let fence = text.chars().next().filter(|&first| first == '`' || first == '~')?;
    let n_fence = text.len() - text.trim_start_matches(fence).len();
    if n_fence < 3 {
        return None;
    }
    let (opening, inside) = text.split_once('\n')?;
    let (content, closing) = inside.rsplit_once('\n').unwrap_or(("", inside));
    let closes = closing.trim().len() >= n_fence && closing.trim().chars().all(|c| c == fence);
    let info_holds = fence == '~' || !opening[n_fence..].contains('`');
    (closes && info_holds).then_some(content)
}

/// Calls `visit` with the content of every code span.
pub(crate) fn for_each_code_span<'a>(text: &'a str, mut visit: impl FnMut(&'a str)) {
    let mut rest = text;
    while let Some(found) = memchr::memchr(b'`', rest.as_bytes()) {
        rest = &rest[found..];
        let n_ticks = count_backticks(rest);
        rest = &rest[n_ticks..];
        if let Some(end) = code_span_end(rest, n_ticks) {
            visit(trim(&rest[..end]));
            rest = &rest[end + n_ticks..];
        }
    }
}

/// Splits a list at commas and line ends; commas inside code spans do not separate.
pub(crate) fn parse_values(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut rest = strip_bullet(line.trim());
        while !rest.is_empty() {
            let n_ticks = count_backticks(rest);
            let code_end = if n_ticks == 0 {
                None
            } else {
                code_span_end(&rest[n_ticks..], n_ticks).map(|at| at + 2 * n_ticks)
            };
            let from = code_end.unwrap_or(0);
            let end = rest[from..].find(',').map_or(rest.len(), |comma| from + comma);
            let value = rest[..end].trim();
            let value = unquote_code(value).map_or_else(|| non_none_value(value), Some);
            found.extend(value.filter(|value| can_be_code_span(value)).map(str::to_owned));
            rest = rest[end..].strip_prefix(',').unwrap_or("").trim_start();
        }
    }
    found
}

/// Tells whether a value can be written as a code span; long runs of backticks cannot.
fn can_be_code_span(value: &str) -> bool {
    !value.is_empty() && longest_run(value, '`') < CODE_TICKS_MAX
}

fn non_none_value(value: &str) -> Option<&str> {
    (!means_none(value)).then_some(value)
}

/// Removes the bullet of a nested list item.
pub(crate) fn strip_bullet(line: &str) -> &str {
    line.strip_prefix(['-', '*', '+']).filter(|rest| rest.starts_with(' ')).map_or(line, str::trim_start)
}

/// Tells whether a value stands for "none".
pub(crate) fn means_none(value: &str) -> bool {
    // No accepted word is longer.
    if value.len() > "해당 없음".len() {
        return false;
    }
    matches!(value, "" | "-" | "–" | "—" | "없음" | "해당 없음" | "なし" | "無")
        || value.eq_ignore_ascii_case("none")
        || value.eq_ignore_ascii_case("n/a")
}

/// Returns an acceptance criterion in normal form, or `None` for an empty one.
pub(crate) fn normalize_criterion(text: &str) -> Option<String> {
    let text = normalize_text(text);
    let criterion = text.trim_start();
    (!means_none(criterion)).then(|| criterion.to_owned())
}

/// Returns the single value of a text, or `None` if it stands for "none".
pub(crate) fn parse_scalar(text: &str) -> Option<String> {
    let text = trim(text);
    // Fast path for short plain values.
    if memchr::memchr3(b'`', b'\n', b'\r', text.as_bytes()).is_none() {
        return non_none_value(text).map(str::to_owned);
    }
    if let Some(code) = unfence_code(text) {
        return Some(normalize_text(code)).filter(|code| !code.is_empty());
    }
    let line = join_lines(text);
    let value = match unquote_code(&line) {
        Some(code) => code,
        None => non_none_value(&line)?,
    };
    can_be_code_span(value).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{normalize_text, parse_scalar, parse_values, quote_code, unquote_code};

    #[test]
    fn quoted_code_parses_back_to_itself() {
        for text in ["cargo test", "echo `date`", "`x`", "``", "a ``` b", "-", "none"] {
            assert_eq!(unquote_code(&quote_code(text)), Some(text), "{text}");
            assert_eq!(parse_scalar(&quote_code(text)).as_deref(), Some(text), "{text}");
        }
    }

    #[test]
    fn text_with_two_code_spans_is_not_a_single_span() {
        assert_eq!(unquote_code("`a`, then `b`"), None);
        assert_eq!(unquote_code("`a"), None);
        assert_eq!(unquote_code("`"), None);
    }

    #[test]
    fn values_are_separated_by_commas_and_lines() {
        assert_eq!(parse_values("`src/a,b.rs`, src/c.rs"), ["src/a,b.rs", "src/c.rs"]);
        assert_eq!(parse_values("- src/a.rs\n- `b`"), ["src/a.rs", "b"]);
        assert!(parse_values("-").is_empty());
        assert!(parse_values(" , ,").is_empty());
    }

    #[test]
    fn a_fenced_block_is_a_multi_line_value() {
        assert_eq!(parse_scalar("```sh\na\n  b\n```").as_deref(), Some("a\n  b"));
    }

    #[test]
    fn normal_form_has_no_blank_lines_around_it() {
        assert_eq!(normalize_text("\r\n  \n    a\r\n\rb  \n\n"), "    a\n\nb");
    }
}
