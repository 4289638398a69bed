//! The tree of the user's own checkout is told, and nothing there changes.

use std::{fs, path::Path};

use repo::checkout_tree;

use crate::stage::{Stage, git, options, write};

/// Returns every file below a folder, with what is in it and its time.
fn seen(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap().flatten() {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                folders.push(path.clone());
            }
            let time = entry.metadata().unwrap().modified().unwrap();
            found.push(format!("{} {time:?} {:?}", path.display(), fs::read(&path).ok()));
        }
    }
    found.sort();
    found
}

fn tree(stage: &Stage, below: &str) -> Option<String> {
    let beside = stage.folder.path().join("beside");
    let tree = checkout_tree(&stage.user().join(below), &options(), &beside).unwrap();
    assert_eq!(fs::read_dir(beside).map_or(0, Iterator::count), 0, "nothing is left");
    tree
}

#[test]
fn a_clean_checkout_is_the_tree_of_its_commit_and_a_change_makes_another() {
    let stage = Stage::with(|user| write(user, "deep/file", "x"));
    let user = stage.user();
    let clean = git(&user, &["rev-parse", "HEAD^{tree}"]);
    assert_eq!(tree(&stage, "."), Some(clean.clone()));
    assert_eq!(tree(&stage, "deep"), Some(clean.clone()), "all of it counts, wherever one stands");
    write(&user, "build.log", "ignored\n");
    assert_eq!(tree(&stage, "."), Some(clean.clone()));
    let mut trees = vec![clean.clone()];
    write(&user, "new", "untracked\n");
    trees.extend(tree(&stage, "."));
    write(&user, "file", "changed\n");
    trees.extend(tree(&stage, "."));
    git(&user, &["add", "file"]);
    assert_eq!(tree(&stage, ".").as_ref(), trees.last(), "staged or not is the same");
    fs::remove_file(user.join("deep/file")).unwrap();
    trees.extend(tree(&stage, "."));
    trees.dedup();
    assert_eq!(trees.len(), 4, "{trees:?}");
    git(&user, &["reset", "--quiet", "--hard"]);
    fs::remove_file(user.join("new")).unwrap();
    assert_eq!(tree(&stage, "."), Some(clean));
}

#[test]
fn nothing_in_the_repository_changes() {
    let stage = Stage::new();
    let user = stage.user();
    write(&user, "staged", "x");
    git(&user, &["add", "staged"]);
    write(&user, "staged", "y");
    write(&user, "file", "changed\n");
    write(&user, "new", "untracked\n");
    let inner = user.join("inner");
    fs::create_dir(&inner).unwrap();
    git(&inner, &["init", "--quiet"]);
    write(&inner, "theirs", "x");
    let before = seen(&user);
    assert!(tree(&stage, ".").is_some());
    assert!(before == seen(&user), "the user's repository changed");
}

#[test]
fn where_there_is_no_working_tree_there_is_none_to_tell() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| checkout_tree(&folder.path().join(name), &options(), folder.path()).unwrap();
    for name in ["plain", "bare"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    git(&folder.path().join("bare"), &["init", "--quiet", "--bare"]);
    assert_eq!((at("plain"), at("bare")), (None, None));
    let unborn = folder.path().join("unborn");
    fs::create_dir(&unborn).unwrap();
    git(&unborn, &["init", "--quiet"]);
    write(&unborn, "file", "x");
    assert!(at("unborn").is_some(), "a checkout without a commit is one too");
}
