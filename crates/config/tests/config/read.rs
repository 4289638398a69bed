//! Good and bad files, and what is made of each. Snapshots lie beside the tests.

use std::{fs, path::Path};

use crate::load::{agents, load_file};
use config::write;

#[test]
fn every_file_is_understood_or_shown_what_is_wrong() {
    insta::glob!("cases/*/*.toml", |path| {
        let is_good = path.parent().is_some_and(|folder| folder.ends_with("good"));
        let seen = match load_file(&fs::read(path).unwrap()) {
            Ok(loaded) => {
                assert!(is_good, "{} should be refused", path.display());
                let team: String =
                    loaded.config.members.iter().map(|member| format!("{member:?}\n")).collect();
                let warnings: String =
                    loaded.warnings.iter().map(|problem| format!("warning: {problem}\n")).collect();
                format!("{}\n{team}\n{warnings}", write(&loaded, true))
            }
            Err(problems) => {
                assert!(!is_good, "{} should be taken: {problems:#?}", path.display());
                problems.iter().map(|problem| format!("{problem}\n")).collect()
            }
        };
        insta::assert_snapshot!(seen);
    });
}

#[test]
fn what_is_written_is_read_back_as_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config/cases/good");
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        // A hidden value is not read back.
        let text = String::from_utf8(bytes).unwrap().replace("API_KEY", "API").replace(":pw@", "@");
        let text = text.replace("SHOP_DSN", "SHOP");
        let loaded = load_file(text.as_bytes()).unwrap();
        let again = load_file(write(&loaded, true).as_bytes()).unwrap();
        assert_eq!(again.config, loaded.config, "{}", path.display());
        assert_eq!(write(&again, false), write(&loaded, false));
    }
}

#[test]
fn every_preset_is_in_the_form_that_agents_take() {
    let loaded = load_file(include_bytes!("cases/good/whole.toml")).unwrap();
    let presets: Vec<_> =
        loaded.config.agents.iter().map(|(name, preset)| format!("{name}: {preset:?}")).collect();
    insta::assert_snapshot!(presets.join("\n"));
    assert!(agents().contains(&"shell".to_owned()));
}
