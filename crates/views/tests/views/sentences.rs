//! Sentences about events, in English and Korean.

use domain::ActionUpdate;
use views::{ChatAuthor, TurnKind, Views, describe_event, describe_event_in_korean};

use crate::sample_log::{fold, golden_log};

/// Returns the English and Korean sentence of every event of the golden log.
fn sentences() -> Vec<(String, String)> {
    let mut views = Views::new("r1".parse().unwrap());
    let describe = |recorded: domain::RecordedEvent| {
        views.apply(&recorded, &ActionUpdate::default());
        let (rows, actor) = (views.rows(), &recorded.actor);
        let english = describe_event(&recorded.event, rows, actor).text;
        (english, describe_event_in_korean(&recorded.event, rows, actor))
    };
    golden_log().into_iter().map(describe).collect()
}

#[test]
fn both_languages_state_the_same_ids_and_numbers() {
    for (english, korean) in sentences() {
        assert!(korean.chars().any(is_hangul), "{korean}");
        for number in ids_and_numbers(&english) {
            assert!(korean.contains(number), "{number} is missing: {korean} ({english})");
        }
    }
}

fn ids_and_numbers(sentence: &str) -> impl Iterator<Item = &str> {
    let words = sentence.split(|char: char| char.is_whitespace() || ",:;()".contains(char));
    words
        .map(|word| word.trim_end_matches(['.', '…', '?']))
        .filter(|word| word.chars().any(|char| char.is_ascii_digit()))
}

#[test]
fn no_korean_particle_that_depends_on_the_sound_follows_a_placeholder() {
    let sources = [
        include_str!("../../src/sentences/ko.rs"),
        include_str!("../../src/sentences/ko/escalation_title.rs"),
        include_str!("../../src/sentences/ko/inputs.rs"),
        include_str!("../../src/sentences/ko/phrases.rs"),
        include_str!("../../src/sentences/ko/plan_changes.rs"),
    ];
    for line in sources.iter().flat_map(|source| source.lines()) {
        for after in line.split('}').skip(1) {
            let word: String = after.chars().take_while(|char| is_hangul(*char)).collect();
            let is_particle = ["은", "는", "이", "가", "을", "를", "과", "와", "로", "으로", "이나", "나"]
                .contains(&word.as_str());
            assert!(!is_particle, "{word} in {line}");
        }
    }
}

#[test]
fn rows_with_text_of_jangdan_have_korean_text() {
    let views = fold(&golden_log());
    let rows = views.rows();
    assert!(rows.timeline.iter().all(|row| row.korean.is_some()));
    for row in rows.chat.iter().filter(|row| row.korean.is_none()) {
        assert_ne!(row.author, ChatAuthor::System, "{}", row.text);
    }
    for row in rows.turns.iter().filter(|row| row.korean.is_some()) {
        assert_ne!(row.kind, TurnKind::Text, "text of an agent is not translated: {}", row.content);
    }
    let first = rows.turns.iter().find(|row| row.kind == TurnKind::Prompt).unwrap();
    assert_eq!(first.korean.as_deref(), Some("T1.1 작업을 진행하세요."));
    for row in rows.questions.iter() {
        let is_permission = row.permission.is_some() && row.original_text.is_none();
        // Jangdan asks in place of an agent whose work has no evidence.
        let is_about_evidence = row.text.starts_with("The agent stopped without");
        let is_of_jangdan = is_about_evidence || !row.large_files.is_empty();
        assert_eq!(row.korean.is_some(), is_permission || is_of_jangdan, "{}", row.text);
    }
}

#[test]
fn a_problem_with_a_known_cause_has_a_korean_title_and_others_keep_their_text() {
    let views = fold(&golden_log());
    let titles: Vec<_> = views.rows().escalations.iter().map(|row| row.korean.as_deref()).collect();
    assert_eq!(
        titles,
        [
            None,
            None,
            Some("T2.2 작업 3회 실패"),
            Some("디스크가 가득 참: 공간을 확보해 주세요"),
            Some("T2.2 작업의 검증을 실행하지 못함: `pytst -q`: PATH에서 찾을 수 없는 프로그램: pytst"),
            Some("다른 프로그램이 refs/heads/jangdan/r1/run 참조를 옮김"),
        ]
    );
    let inbox: Vec<_> = views.rows().inbox.iter().filter(|row| row.text == "T2.2 failed 3 times").collect();
    assert_eq!(inbox.iter().map(|row| row.korean.as_deref()).collect::<Vec<_>>(), [titles[2]]);
    let sentences = sentences();
    for title in ["95 % of the tokens are used", "T2.2 작업 3회 실패"] {
        assert!(sentences.iter().any(|(_, korean)| korean.contains(title)), "{title}");
    }
}

fn is_hangul(char: char) -> bool {
    ('가'..='힣').contains(&char)
}
