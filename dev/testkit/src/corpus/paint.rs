//! Colours, titles and hyperlinks around the words of a line.

use super::Writer;

/// How much of a line is coloured.
#[derive(Clone, Copy)]
pub(super) enum Paint {
    /// None of it.
    Plain,
    /// The line as a whole.
    Line,
    /// Every few words.
    Words,
    /// Every word, in colours of many digits, as syntax highlighting does.
    EveryWord,
}

/// Chooses the amount of colour that brings the share of escape bytes to its goal.
pub(super) fn choose(writer: &mut Writer) -> Paint {
    let lacking = writer.lacks_escapes();
    match (lacking, writer.random.below(10)) {
        (true, 0..2) => Paint::Words,
        (true, 2..10) => Paint::EveryWord,
        (_, 0..6) => Paint::Plain,
        (_, _) => Paint::Line,
    }
}

/// Writes a line's words in their colours, without its newline.
pub(super) fn write(writer: &mut Writer, line: &str, paint: Paint) {
    let words = line.trim_start();
    writer.write_text(&line[..line.len() - words.len()]);
    match paint {
        Paint::Plain => writer.write_text(words),
        Paint::Line => {
            write_colour(writer);
            writer.write_text(words);
            writer.write_escape("\x1b[0m");
        }
        Paint::Words | Paint::EveryWord => {
            for (n, word) in words.split(' ').enumerate() {
                if n > 0 {
                    writer.write_text(" ");
                }
                if matches!(paint, Paint::EveryWord) || n % 3 == 0 {
                    write_painted_word(writer, word);
                } else {
                    writer.write_text(word);
                }
            }
        }
    }
}

fn write_painted_word(writer: &mut Writer, word: &str) {
    if word.contains('/') && writer.random.once_in(3) {
        writer.write_escape(&format!("\x1b]8;;file://host/{word}\x1b\\"));
        writer.write_text(word);
        writer.write_escape("\x1b]8;;\x1b\\");
        return;
    }
    match writer.random.below(4) {
        0 => {
            let [red, green, blue] = [(); 3].map(|()| writer.random.below(256));
            writer.write_escape(&format!("\x1b[38;2;{red};{green};{blue}m"));
        }
        1 | 2 => {
            let number = writer.random.below(256);
            writer.write_escape(&format!("\x1b[38;5;{number}m"));
        }
        _ => write_colour(writer),
    }
    writer.write_text(word);
    let reset = writer.random.pick(&["\x1b[0m", "\x1b[39m", "\x1b[m", "\x1b[22;39m"]);
    writer.write_escape(reset);
}

/// Starts one of the colours and weights that every terminal supports.
pub(super) fn write_colour(writer: &mut Writer) {
    let sequence = writer.random.pick(&[
        "\x1b[1m",
        "\x1b[2m",
        "\x1b[31m",
        "\x1b[32m",
        "\x1b[33m",
        "\x1b[34m",
        "\x1b[36m",
        "\x1b[1;31m",
        "\x1b[1;32m",
        "\x1b[0;33m",
        "\x1b[90m",
        "\x1b[4m",
    ]);
    writer.write_escape(sequence);
}

/// Writes an invisible sequence: a title, a cursor state, a mode.
pub(super) fn write_invisible_sequence(writer: &mut Writer) {
    let number = writer.random.below(900);
    match writer.random.below(4) {
        0 => writer.write_escape(&format!("\x1b]0;agent - step {number}\x07")),
        1 => writer.write_escape(&format!("\x1b]2;task T{}.{} running\x1b\\", number % 9, number / 9)),
        2 => writer.write_escape("\x1b[?25l"),
        _ => writer.write_escape("\x1b[?25h"),
    }
}
