//! Computing the tree of the user's checkout does not change it.

use std::{fs, path::Path};

use repo::compute_checkout_tree;

use crate::fixture::{Fixture, git, git_options, write_file};

/// Returns every file below a folder with its content and modification time.
fn contents_of(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap().flatten() {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                folders.push(path.clone());
            }
            let time = entry.metadata().unwrap().modified().unwrap();
            files.push(format!("{} {time:?} {:?}", path.display(), fs::read(&path).ok()));
        }
    }
    files.sort();
    files
}

fn user_checkout_tree(fixture: &Fixture, below: &str) -> Option<String> {
    let temporary_parent = fixture.folder.path().join("beside");
    let tree =
        compute_checkout_tree(&fixture.user_folder().join(below), &git_options(), &temporary_parent).unwrap();
    assert_eq!(fs::read_dir(temporary_parent).map_or(0, Iterator::count), 0, "temporary files are removed");
    tree
}

#[test]
fn a_clean_checkout_has_the_tree_of_its_commit_and_every_change_another_one() {
    let fixture = Fixture::with_base_files(|user| write_file(user, "deep/file", "x"));
    let user = fixture.user_folder();
    let clean = git(&user, &["rev-parse", "HEAD^{tree}"]);
    assert_eq!(user_checkout_tree(&fixture, "."), Some(clean.clone()));
    assert_eq!(
        user_checkout_tree(&fixture, "deep"),
        Some(clean.clone()),
        "the whole checkout counts, from any folder"
    );
    write_file(&user, "build.log", "ignored\n");
    assert_eq!(user_checkout_tree(&fixture, "."), Some(clean.clone()));
    let mut trees = vec![clean.clone()];
    write_file(&user, "new", "untracked\n");
    trees.extend(user_checkout_tree(&fixture, "."));
    write_file(&user, "file", "changed\n");
    trees.extend(user_checkout_tree(&fixture, "."));
    git(&user, &["add", "file"]);
    assert_eq!(user_checkout_tree(&fixture, ".").as_ref(), trees.last(), "staging makes no difference");
    fs::remove_file(user.join("deep/file")).unwrap();
    trees.extend(user_checkout_tree(&fixture, "."));
    trees.dedup();
    assert_eq!(trees.len(), 4, "{trees:?}");
    git(&user, &["reset", "--quiet", "--hard"]);
    fs::remove_file(user.join("new")).unwrap();
    assert_eq!(user_checkout_tree(&fixture, "."), Some(clean));
}

#[test]
fn the_repository_is_not_changed() {
    let fixture = Fixture::new();
    let user = fixture.user_folder();
    write_file(&user, "staged", "x");
    git(&user, &["add", "staged"]);
    write_file(&user, "staged", "y");
    write_file(&user, "file", "changed\n");
    write_file(&user, "new", "untracked\n");
    let inner = user.join("inner");
    fs::create_dir(&inner).unwrap();
    git(&inner, &["init", "--quiet"]);
    write_file(&inner, "theirs", "x");
    let before = contents_of(&user);
    assert!(user_checkout_tree(&fixture, ".").is_some());
    assert!(before == contents_of(&user), "the user's repository changed");
}

#[test]
fn without_a_working_tree_there_is_no_tree() {
    let folder = tempfile::tempdir().unwrap();
    let at =
        |name: &str| compute_checkout_tree(&folder.path().join(name), &git_options(), folder.path()).unwrap();
    for name in ["plain", "bare"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    git(&folder.path().join("bare"), &["init", "--quiet", "--bare"]);
    assert_eq!((at("plain"), at("bare")), (None, None));
    let unborn = folder.path().join("unborn");
    fs::create_dir(&unborn).unwrap();
    git(&unborn, &["init", "--quiet"]);
    write_file(&unborn, "file", "x");
    assert!(at("unborn").is_some(), "a checkout without a commit has a tree");
}
