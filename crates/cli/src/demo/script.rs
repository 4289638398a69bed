//! From a script as it is kept here to the one that is played: its places filled in, its pauses scaled, in its language.

use domain::Locale;

use super::files::{WORDS_KO, till};

/// What a script is written for.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// How many times as fast as it is meant.
    pub speed: f64,
    /// In which language agents speak.
    pub locale: Locale,
    /// Where agents remember their sessions, as a value of TOML.
    pub memory: &'a str,
}

/// Writes a script out.
pub fn script(text: &str, setting: Setting<'_>) -> String {
    let (head, tail) = till();
    let text = text
        .replace("\"@memory@\"", setting.memory)
        .replace("@till head@", head)
        .replace("@till tail@", tail);
    let text = match setting.locale {
        Locale::En => text,
        Locale::Ko => translated(text),
    };
    hurried(&text, setting.speed)
}

/// Divides every pause, which is a text such as `"900ms"`, by the speed.
fn hurried(text: &str, speed: f64) -> String {
    let pause = |part: &str| part.strip_suffix("ms")?.parse::<u32>().ok();
    let mut parts = Vec::new();
    for part in text.split('"') {
        parts.push(match pause(part) {
            Some(milliseconds) => format!("{}ms", scaled(milliseconds, speed)),
            None => part.to_owned(),
        });
    }
    parts.join("\"")
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is positive, and a pause that is too long is as long as can be"
)]
fn scaled(milliseconds: u32, speed: f64) -> u32 {
    (f64::from(milliseconds) / speed).round() as u32
}

fn translated(text: String) -> String {
    words().fold(text, |text, (english, korean)| text.replace(english, korean))
}

/// Returns what is said in English with the same in Korean, the longest first so that none is part of one before it.
fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines: Vec<&str> = WORDS_KO.lines().filter(|line| !line.is_empty()).collect();
    let pairs = lines.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?)));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_by_key(|(english, _)| std::cmp::Reverse(english.len()));
    pairs.into_iter()
}

#[cfg(test)]
mod tests {
    use super::{Setting, hurried, script, words};
    use crate::demo::files::{AGENTS, till};
    use domain::Locale;

    fn scripts() -> impl Iterator<Item = (&'static str, &'static str)> {
        AGENTS.iter().filter(|file| file.path.ends_with(".toml")).map(|file| (file.path, file.text))
    }

    #[test]
    fn every_script_can_be_played_in_both_languages() {
        for (path, text) in scripts() {
            for locale in [Locale::En, Locale::Ko] {
                let written = script(text, Setting { speed: 7.0, locale, memory: "\"/m\"" });
                if let Err(error) = scripted_agent::Script::parse(&written) {
                    panic!("{path}: {error:?}\n{written}");
                }
                let is_open = written.contains("@memory") || written.contains("@till");
                assert!(!is_open, "{path} has a place that nobody filled");
            }
        }
    }

    #[test]
    fn pauses_are_scaled_and_nothing_else() {
        let text = r#"{ sleep = "900ms" }, { takes = "5ms" }, { say = "900ms later, 5 ms" }"#;
        let expected = r#"{ sleep = "90ms" }, { takes = "1ms" }, { say = "900ms later, 5 ms" }"#;
        assert_eq!(hurried(text, 10.0), expected);
        assert_eq!(hurried(r#""1ms" "1000ms""#, 0.5), r#""2ms" "2000ms""#);
    }

    #[test]
    fn every_word_that_is_translated_is_said() {
        let all: String = scripts().map(|(_, text)| text).collect();
        for (english, korean) in words() {
            assert!(all.contains(english), "nobody says: {english} ({korean})");
        }
    }

    #[test]
    fn the_till_is_cut_behind_its_help() {
        let (head, tail) = till();
        assert!(head.ends_with(";;") && head.contains("help)"), "{head}");
        assert!(tail.starts_with("    *)") && tail.ends_with("esac"), "{tail}");
    }
}
