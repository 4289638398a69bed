//! Renders a script: fills its placeholders, scales its pauses and translates its messages.

use domain::Locale;

use super::files::{TRANSLATIONS_KO, split_server_file};

/// Options of a script.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScriptOptions<'a> {
    /// Factor by which pauses are shortened.
    pub speed: f64,
    /// Language of the agents.
    pub locale: Locale,
    /// Path at which agents store their sessions, as a TOML string.
    pub memory: &'a str,
}

/// Renders a script.
pub(super) fn render(text: &str, options: ScriptOptions<'_>) -> String {
    let (head, tail) = split_server_file();
    let text = text
        .replace("\"@memory@\"", options.memory)
        .replace("@server head@", head)
        .replace("@server tail@", tail);
    let text = match options.locale {
        Locale::En => text,
        Locale::Ko => translate_to_korean(text),
    };
    with_scaled_pauses(&text, options.speed)
}

/// Divides every pause, a string such as `"900ms"`, by the speed.
fn with_scaled_pauses(text: &str, speed: f64) -> String {
    let pause = |part: &str| part.strip_suffix("ms")?.parse::<u32>().ok();
    let mut parts = Vec::new();
    for part in text.split('"') {
        parts.push(match pause(part) {
            Some(milliseconds) => format!("{}ms", scale_pause_ms(milliseconds, speed)),
            None => part.to_owned(),
        });
    }
    parts.join("\"")
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is positive, and a cast saturates"
)]
fn scale_pause_ms(milliseconds: u32, speed: f64) -> u32 {
    (f64::from(milliseconds) / speed).round() as u32
}

fn translate_to_korean(text: String) -> String {
    translations().fold(text, |text, (english, korean)| text.replace(english, korean))
}

/// Returns pairs of English and Korean messages, the longest first, so that none is replaced inside of a longer one.
fn translations() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines: Vec<&str> = TRANSLATIONS_KO.lines().filter(|line| !line.is_empty()).collect();
    let pairs = lines.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?)));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_by_key(|(english, _)| std::cmp::Reverse(english.len()));
    pairs.into_iter()
}

#[cfg(test)]
mod tests {
    use super::{ScriptOptions, render, translations, with_scaled_pauses};
    use crate::demo::files::{AGENTS, split_server_file};
    use domain::Locale;

    fn scripts() -> impl Iterator<Item = (&'static str, &'static str)> {
        AGENTS.iter().filter(|file| file.path.ends_with(".toml")).map(|file| (file.path, file.text))
    }

    #[test]
    fn every_script_is_valid_in_both_languages() {
        for (path, text) in scripts() {
            for locale in [Locale::En, Locale::Ko] {
                let rendered = render(text, ScriptOptions { speed: 7.0, locale, memory: "\"/m\"" });
                if let Err(error) = scripted_agent::Script::parse(&rendered) {
                    panic!("{path}: {error:?}\n{rendered}");
                }
                let has_placeholder = rendered.contains("@memory") || rendered.contains("@server");
                assert!(!has_placeholder, "{path} has a placeholder left");
            }
        }
    }

    #[test]
    fn only_pauses_are_scaled() {
        let text = r#"{ sleep = "900ms" }, { takes = "5ms" }, { say = "900ms later, 5 ms" }"#;
        let expected = r#"{ sleep = "90ms" }, { takes = "1ms" }, { say = "900ms later, 5 ms" }"#;
        assert_eq!(with_scaled_pauses(text, 10.0), expected);
        assert_eq!(with_scaled_pauses(r#""1ms" "1000ms""#, 0.5), r#""2ms" "2000ms""#);
    }

    #[test]
    fn every_translated_message_is_used() {
        let all: String = scripts().map(|(_, text)| text).collect();
        for (english, korean) in translations() {
            assert!(all.contains(english), "unused: {english} ({korean})");
        }
    }

    #[test]
    fn server_is_split_after_the_first_route() {
        let (head, tail) = split_server_file();
        assert!(head.ends_with(";;") && head.contains("\"GET /\")"), "{head}");
        assert!(tail.starts_with("    *)") && tail.ends_with("esac"), "{tail}");
    }
}
