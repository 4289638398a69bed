//! What is said in English is said in Korean, too.

use views::{Author, TurnKind, in_korean, line};

use crate::story::{fold, golden};

#[test]
fn every_event_tells_the_same_in_korean() {
    for recorded in golden() {
        let (english, korean) = (line(&recorded.event).text, in_korean(&recorded.event));
        assert!(korean.chars().any(is_hangul), "{korean}");
        for fact in facts(&english) {
            assert!(korean.contains(fact), "{fact} is missing: {korean} ({english})");
        }
    }
}

/// Returns the ids and numbers of a line.
fn facts(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|sign: char| sign.is_whitespace() || ",:;()".contains(sign));
    words
        .map(|word| word.trim_end_matches(['.', '…', '?']))
        .filter(|word| word.chars().any(|sign| sign.is_ascii_digit()))
}

#[test]
fn no_particle_that_depends_on_the_sound_follows_what_is_filled_in() {
    let sources = [
        include_str!("../../src/korean.rs"),
        include_str!("../../src/korean/parts.rs"),
        include_str!("../../src/korean/plans.rs"),
        include_str!("../../src/korean/problem.rs"),
        include_str!("../../src/korean/say.rs"),
    ];
    for line in sources.iter().flat_map(|source| source.lines()) {
        for behind in line.split('}').skip(1) {
            let word: String = behind.chars().take_while(|sign| is_hangul(*sign)).collect();
            let is_particle = ["은", "는", "이", "가", "을", "를", "과", "와", "로", "으로", "이나", "나"]
                .contains(&word.as_str());
            assert!(!is_particle, "{word} in {line}");
        }
    }
}

#[test]
fn rows_that_jangdan_puts_into_words_have_korean_ones() {
    let views = fold(&golden());
    let rows = views.rows();
    assert!(rows.timeline.iter().all(|row| row.korean.is_some()));
    for row in rows.chat.iter().filter(|row| row.korean.is_none()) {
        assert_ne!(row.author, Author::System, "{}", row.text);
    }
    for row in rows.turns.iter().filter(|row| row.korean.is_some()) {
        assert_ne!(row.kind, TurnKind::Text, "what an agent said is not ours: {}", row.content);
    }
    let first = rows.turns.iter().find(|row| row.kind == TurnKind::Prompt).unwrap();
    assert_eq!(first.korean.as_deref(), Some("T1.1 작업을 하세요."));
    for row in rows.questions.iter() {
        let is_own = row.permission.is_some() && row.asked_text.is_none();
        assert_eq!(row.korean.is_some(), is_own, "{}", row.text);
    }
}

#[test]
fn a_problem_whose_cause_is_known_has_a_korean_title_and_any_other_stays_as_it_was_said() {
    let log = golden();
    let views = fold(&log);
    let titles: Vec<_> = views.rows().escalations.iter().map(|row| row.korean.as_deref()).collect();
    assert_eq!(titles, [None, None, Some("T2.2 작업이 3번 실패함")]);
    let inbox: Vec<_> = views.rows().inbox.iter().filter(|row| row.text == "T2.2 failed 3 times").collect();
    assert_eq!(inbox.iter().map(|row| row.korean.as_deref()).collect::<Vec<_>>(), [titles[2]]);
    let lines: Vec<_> = log.iter().map(|recorded| in_korean(&recorded.event)).collect();
    for title in ["95 % of the tokens are used", "T2.2 작업이 3번 실패함"] {
        assert!(lines.iter().any(|line| line.contains(title)), "{title}");
    }
}

fn is_hangul(sign: char) -> bool {
    ('가'..='힣').contains(&sign)
}
