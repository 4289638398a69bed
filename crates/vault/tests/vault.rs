//! The vault keeps values secret, detects changes of its files, and survives a crash between any two writes.

#![expect(clippy::unwrap_used, reason = "a test that cannot use its files has failed")]

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use domain::Timestamp;
use serde_json::Value;
use tempfile::TempDir;
use vault::{ENTRIES_MAX, SecretName, SecretScope, SecretValue, Vault, VaultError};

const CANARY: &str = "sk-canary-7f3a91";

fn name(text: &str) -> SecretName {
    text.parse().unwrap()
}

fn value(text: &str) -> SecretValue {
    SecretValue::new(text.to_owned()).unwrap()
}

fn project(path: &str) -> SecretScope {
    SecretScope::Project(path.to_owned())
}

fn vault() -> (TempDir, Vault) {
    let folder = tempfile::tempdir().unwrap();
    let vault = Vault::new(folder.path());
    (folder, vault)
}

fn set(vault: &Vault, scope: &SecretScope, key: &str, text: &str) -> u64 {
    vault.set(scope, &name(key), &value(text), true, Timestamp(5)).unwrap()
}

fn get(vault: &Vault, scope: &SecretScope, key: &str) -> Option<String> {
    vault.get(scope, &name(key)).unwrap().map(|(_, value)| value.expose().to_owned())
}

fn edit(folder: &Path, change: impl FnOnce(&mut Value)) {
    let path = folder.join("vault.json");
    let mut content: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut content);
    fs::write(&path, content.to_string()).unwrap();
}

#[test]
fn stored_value_is_read_again_and_no_file_has_it() {
    let (folder, vault) = vault();
    assert_eq!(get(&vault, &SecretScope::User, "KEY"), None);
    assert!(vault.list().unwrap().is_empty() && fs::read_dir(folder.path()).unwrap().next().is_none());
    set(&vault, &SecretScope::User, "KEY", CANARY);
    assert_eq!(get(&vault, &SecretScope::User, "KEY").as_deref(), Some(CANARY));
    let hex: String = CANARY.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut names = Vec::new();
    for entry in fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned();
        assert!(!text.contains(CANARY) && !text.contains(&hex), "{:?}", entry.path());
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", entry.path());
        names.push(entry.file_name().into_string().unwrap());
    }
    names.sort();
    assert_eq!(names, ["vault.json", "vault.key", "vault.lock"]);
}

#[test]
fn value_of_the_project_comes_before_that_of_the_user_and_of_no_other_project() {
    let (_folder, vault) = vault();
    set(&vault, &SecretScope::User, "KEY", "of-user");
    set(&vault, &project("/shop"), "KEY", "of-shop");
    set(&vault, &project("/blog"), "ONLY_BLOG", "of-blog");
    let find = |path: &str, key: &str| {
        vault.find(path, &name(key)).unwrap().map(|(_, value)| value.expose().to_owned())
    };
    assert_eq!(find("/shop", "KEY").as_deref(), Some("of-shop"));
    assert_eq!(find("/blog", "KEY").as_deref(), Some("of-user"));
    assert_eq!(find("/shop", "ONLY_BLOG"), None);
    let values = vault.values_of_project("/shop").unwrap();
    let values: Vec<&str> = values.iter().map(|(_, value)| value.expose()).collect();
    assert_eq!(values, ["of-user", "of-shop"]);
}

#[test]
fn replaced_value_has_a_higher_version_also_after_it_was_removed() {
    let (_folder, vault) = vault();
    let first = set(&vault, &SecretScope::User, "KEY", "one");
    let second = set(&vault, &SecretScope::User, "KEY", "two");
    assert_eq!(vault.list().unwrap().len(), 1);
    assert!(vault.remove(&SecretScope::User, &name("KEY")).unwrap());
    assert!(!vault.remove(&SecretScope::User, &name("KEY")).unwrap());
    let third = set(&vault, &SecretScope::User, "KEY", "three");
    assert!(first < second && second < third, "{first} {second} {third}");
}

#[test]
fn exchanged_or_changed_entries_are_detected() {
    let changes: [fn(&mut Value); 7] = [
        |content| {
            let parts = content["entries"][1].clone();
            content["entries"][0]["nonce"] = parts["nonce"].clone();
            content["entries"][0]["ciphertext"] = parts["ciphertext"].clone();
        },
        |content| content["entries"][0]["scope"] = "user".into(),
        |content| content["entries"][0]["version"] = 9.into(),
        |content| content["entries"][0]["isSecret"] = false.into(),
        |content| content["entries"][0]["setAt"] = 6.into(),
        |content| content["entries"][0]["ciphertext"] = "00ff".into(),
        |content| content["entries"][0]["nonce"] = "zz".into(),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let (folder, vault) = vault();
        set(&vault, &project("/shop"), "KEY", "of-shop");
        set(&vault, &project("/blog"), "KEY", "of-blog");
        edit(folder.path(), change);
        let scope = if number == 1 { SecretScope::User } else { project("/shop") };
        let read = vault.get(&scope, &name("KEY"));
        assert!(matches!(&read, Err(VaultError::Tampered { .. })), "change {number}: {read:?}");
        // The others are still usable.
        assert_eq!(get(&vault, &project("/blog"), "KEY").as_deref(), Some("of-blog"), "change {number}");
    }
}

#[test]
fn entry_of_another_project_cannot_be_renamed_to_this_one() {
    let (folder, vault) = vault();
    set(&vault, &project("/shop"), "KEY", CANARY);
    edit(folder.path(), |content| content["entries"][0]["scope"] = serde_json::json!({"project": "/evil"}));
    assert!(matches!(vault.find("/evil", &name("KEY")), Err(VaultError::Tampered { .. })));
    assert!(vault.values_of_project("/evil").unwrap().is_empty());
}

#[test]
fn wrong_key_is_reported_and_nothing_is_overwritten() {
    let (folder, vault) = vault();
    set(&vault, &SecretScope::User, "KEY", CANARY);
    let key = folder.path().join("vault.key");
    let right = fs::read(&key).unwrap();
    let stored = fs::read(folder.path().join("vault.json")).unwrap();
    fs::write(&key, format!("{}\n", "ab".repeat(32))).unwrap();
    let set_again = vault.set(&SecretScope::User, &name("B"), &value("x"), true, Timestamp(1));
    assert!(matches!(set_again, Err(VaultError::WrongKey { .. })), "{set_again:?}");
    assert!(matches!(vault.get(&SecretScope::User, &name("KEY")), Err(VaultError::WrongKey { .. })));
    assert!(matches!(vault.rotate_key(), Err(VaultError::WrongKey { .. })));
    fs::remove_file(&key).unwrap();
    assert!(matches!(vault.get(&SecretScope::User, &name("KEY")), Err(VaultError::WrongKey { .. })));
    for text in ["", "ab", "not a key\n"] {
        fs::write(&key, text).unwrap();
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(matches!(vault.get(&SecretScope::User, &name("KEY")), Err(VaultError::Malformed { .. })));
    }
    assert_eq!(fs::read(folder.path().join("vault.json")).unwrap(), stored);
    fs::write(&key, right).unwrap();
    assert_eq!(get(&vault, &SecretScope::User, "KEY").as_deref(), Some(CANARY));
}

#[test]
fn files_that_others_can_read_and_links_are_refused() {
    let (folder, vault) = vault();
    set(&vault, &SecretScope::User, "KEY", CANARY);
    for file in ["vault.key", "vault.json"] {
        let path = folder.path().join(file);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let read = vault.get(&SecretScope::User, &name("KEY"));
        assert!(matches!(read, Err(VaultError::NotPrivate { .. })), "{file}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let moved = folder.path().join("moved");
        fs::rename(&path, &moved).unwrap();
        symlink(&moved, &path).unwrap();
        let read = vault.get(&SecretScope::User, &name("KEY"));
        assert!(matches!(read, Err(VaultError::NotPrivate { .. })), "{file}");
        fs::rename(&moved, &path).unwrap();
    }
    assert_eq!(get(&vault, &SecretScope::User, "KEY").as_deref(), Some(CANARY));
}

#[test]
fn rotation_replaces_the_key_and_keeps_values_and_versions() {
    let (folder, vault) = vault();
    assert_eq!(vault.rotate_key().unwrap(), 0);
    set(&vault, &SecretScope::User, "A", "of-user");
    set(&vault, &project("/shop"), "B", "of-shop");
    let (before, key) = (vault.list().unwrap(), fs::read(vault.key_path()).unwrap());
    let old = fs::read(folder.path().join("vault.json")).unwrap();
    assert_eq!(vault.rotate_key().unwrap(), 2);
    assert_eq!(vault.list().unwrap(), before);
    let new_key = fs::read(vault.key_path()).unwrap();
    assert!(new_key != key && new_key.len() == key.len());
    assert_eq!(get(&vault, &project("/shop"), "B").as_deref(), Some("of-shop"));
    // The old file cannot be opened with the new key.
    fs::write(folder.path().join("vault.json"), old).unwrap();
    assert!(matches!(vault.get(&SecretScope::User, &name("A")), Err(VaultError::WrongKey { .. })));
}

/// Each state that a crash can leave: temporary files, and every combination of old and new files that rotation passes.
#[test]
fn vault_opens_after_a_crash_between_any_two_writes() {
    let (folder, vault) = vault();
    let (key, content) = (folder.path().join("vault.key"), folder.path().join("vault.json"));
    // A crash after the key of an empty vault was written.
    set(&vault, &SecretScope::User, "A", "one");
    fs::remove_file(&content).unwrap();
    let first_key = fs::read(&key).unwrap();
    assert_eq!(get(&vault, &SecretScope::User, "A"), None);
    set(&vault, &SecretScope::User, "A", CANARY);
    assert_eq!(fs::read(&key).unwrap(), first_key);
    // Half-written temporary files.
    fs::write(folder.path().join("vault.new"), "{\"format\":").unwrap();
    assert_eq!(get(&vault, &SecretScope::User, "A").as_deref(), Some(CANARY));
    set(&vault, &SecretScope::User, "B", "two");
    // Rotation: both keys and the old values, both keys and the new values, the new key.
    let (old_key, old_content) = (fs::read(&key).unwrap(), fs::read(&content).unwrap());
    vault.rotate_key().unwrap();
    let (new_key, new_content) = (fs::read(&key).unwrap(), fs::read(&content).unwrap());
    let both = [old_key.clone(), new_key.clone()].concat();
    for (keys, values) in [(&both, &old_content), (&both, &new_content), (&new_key, &new_content)] {
        fs::write(&key, keys).unwrap();
        fs::write(&content, values).unwrap();
        assert_eq!(get(&vault, &SecretScope::User, "A").as_deref(), Some(CANARY));
        set(&vault, &SecretScope::User, "B", "three");
        assert_eq!(vault.rotate_key().unwrap(), 2);
        assert_eq!(fs::read(&key).unwrap().len(), old_key.len(), "one key is left");
        assert_eq!(get(&vault, &SecretScope::User, "B").as_deref(), Some("three"));
    }
}

#[test]
fn values_that_are_stored_at_the_same_time_are_all_kept() {
    let (_folder, vault) = vault();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let vault = &vault;
            scope.spawn(move || {
                for number in 0..10 {
                    set(vault, &SecretScope::User, &format!("K{thread}_{number}"), "value");
                    if number % 5 == 0 {
                        vault.rotate_key().unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(vault.values_of_project("/shop").unwrap().len(), 40);
}

#[test]
fn number_of_secrets_is_bounded_and_replacing_one_is_always_possible() {
    let (folder, vault) = vault();
    set(&vault, &SecretScope::User, "K0", "value");
    edit(folder.path(), |content| {
        let entry = content["entries"][0].clone();
        let entries = content["entries"].as_array_mut().unwrap();
        for number in 1..ENTRIES_MAX {
            let mut entry = entry.clone();
            entry["name"] = format!("K{number}").into();
            entries.push(entry);
        }
    });
    let full = vault.set(&SecretScope::User, &name("NEW"), &value("x"), true, Timestamp(1));
    assert!(matches!(full, Err(VaultError::Full)), "{full:?}");
    set(&vault, &SecretScope::User, "K5", "replaced");
    assert_eq!(get(&vault, &SecretScope::User, "K5").as_deref(), Some("replaced"));
}

#[test]
fn file_of_a_newer_version_is_refused_and_stays() {
    let (folder, vault) = vault();
    set(&vault, &SecretScope::User, "KEY", CANARY);
    edit(folder.path(), |content| content["format"] = 2.into());
    assert!(matches!(vault.list(), Err(VaultError::Malformed { .. })));
    let again = vault.set(&SecretScope::User, &name("KEY"), &value("x"), true, Timestamp(1));
    assert!(matches!(again, Err(VaultError::Malformed { .. })));
}
