//! Valid and invalid files, with the result of each as a snapshot.

use std::{fs, path::Path};

use crate::load::{builtin_agents, load_file};
use config::to_toml;
use domain::Locale;

#[test]
fn files_load_or_report_their_problems() {
    insta::glob!("cases/*/*.toml", |path| {
        let is_good = path.parent().is_some_and(|folder| folder.ends_with("good"));
        let result = match load_file(&fs::read(path).unwrap()) {
            Ok(loaded) => {
                assert!(is_good, "{} should be invalid", path.display());
                let team: String =
                    loaded.config.members.iter().map(|member| format!("{member:?}\n")).collect();
                let warnings: String =
                    loaded.warnings.iter().map(|problem| format!("warning: {problem}\n")).collect();
                format!("{}\n{team}\n{warnings}", to_toml(&loaded, true))
            }
            Err(problems) => {
                assert!(!is_good, "{} should be valid: {problems:#?}", path.display());
                problems.iter().map(|problem| format!("{problem}\n")).collect()
            }
        };
        insta::assert_snapshot!(result);
    });
}

#[test]
fn problems_are_described_in_korean() {
    let is_korean = |text: &str| text.contains(|char: char| ('가'..='힣').contains(&char));
    insta::glob!("cases/bad/*.toml", |path| {
        let problems = load_file(&fs::read(path).unwrap()).unwrap_err();
        let lines = problems.iter().map(|problem| {
            let message = problem.message.text(Locale::Ko);
            let hint = problem.hint.as_ref().map(|hint| hint.text(Locale::Ko)).unwrap_or_default();
            assert!(is_korean(&message) && (hint.is_empty() || is_korean(&hint)), "{message} ({hint})");
            format!("{message} ({hint})\n")
        });
        insta::assert_snapshot!(lines.collect::<String>());
    });
}

#[test]
fn written_configuration_loads_as_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config/cases/good");
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        // Hidden values cannot be read back.
        let text = String::from_utf8(bytes).unwrap().replace("API_KEY", "API").replace(":pw@", "@");
        let text = text.replace("SHOP_DSN", "SHOP");
        let loaded = load_file(text.as_bytes()).unwrap();
        let again = load_file(to_toml(&loaded, true).as_bytes()).unwrap();
        assert_eq!(again.config, loaded.config, "{}", path.display());
        assert_eq!(to_toml(&again, false), to_toml(&loaded, false));
    }
}

#[test]
fn agents_become_presets() {
    let loaded = load_file(include_bytes!("cases/good/whole.toml")).unwrap();
    let presets: Vec<_> =
        loaded.config.agents.iter().map(|(name, preset)| format!("{name}: {preset:?}")).collect();
    insta::assert_snapshot!(presets.join("\n"));
    assert!(builtin_agents().contains(&"shell".to_owned()));
}
