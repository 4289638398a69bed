//! Which repository a path belongs to, and its properties.

use std::{fs, os::unix::fs::PermissionsExt};

use repo::{Head, LfsState, RepoError, Repository};

use crate::fixture::{Fixture, git, git_options, user_git_command, write_file};

#[test]
fn a_folder_outside_a_repository_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let error = Repository::discover(folder.path(), &git_options()).unwrap_err();
    assert!(matches!(error, RepoError::NotARepository { .. }), "{error}");
    assert!(error.hint().contains("git init"));
}

#[test]
fn a_repository_is_found_from_a_subfolder() {
    let fixture = Fixture::with_base_files(|user| write_file(user, "a/b/c", "x"));
    let found = Repository::discover(&fixture.user_folder().join("a/b"), &git_options()).unwrap();
    assert!(matches!(found.head().unwrap(), Head::Branch { name, .. } if name == "main"));
}

#[test]
fn a_repository_without_commits_is_found_but_has_no_base() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "--quiet", "-b", "main"]);
    let found = Repository::discover(folder.path(), &git_options()).unwrap();
    assert_eq!(found.head().unwrap(), Head::Unborn { name: "main".to_owned() });
    assert!(matches!(found.resolve_commit("HEAD"), Err(RepoError::CommitNotFound { .. })));
}

#[test]
fn bare_shallow_submodule_and_lfs_are_detected() {
    let fixture =
        Fixture::with_base_files(|user| write_file(user, ".gitattributes", "*.bin filter=lfs diff=lfs\n"));
    assert_eq!(fixture.run.repository.traits.lfs, LfsState::FilterMissing);
    let has_lfs =
        user_git_command(&fixture.user_folder()).args(["lfs", "version"]).output().unwrap().status.success();
    git(&fixture.user_folder(), &["config", "filter.lfs.process", "git-lfs filter-process"]);
    let traits = Repository::discover(&fixture.user_folder(), &git_options()).unwrap().traits;
    assert_eq!(traits.lfs, if has_lfs { LfsState::Ready } else { LfsState::ProgramMissing });
    git(&fixture.user_folder(), &["config", "filter.lfs.process", "another-filter"]);
    let traits = Repository::discover(&fixture.user_folder(), &git_options()).unwrap().traits;
    assert_eq!(traits.lfs, LfsState::Ready);
    assert!(!traits.is_bare && !traits.is_shallow && !traits.has_submodules && traits.submodule_of.is_none());

    let folder = fixture.folder.path();
    let url = format!("file://{}", fixture.user_folder().display());
    git(folder, &["clone", "--quiet", "--bare", "--depth", "1", &url, "bare"]);
    let traits = Repository::discover(&folder.join("bare"), &git_options()).unwrap().traits;
    assert!(traits.is_bare && traits.is_shallow);

    let plain = Fixture::new();
    let url = format!("file://{}", plain.user_folder().display());
    let above = Fixture::new();
    git(&above.user_folder(), &["submodule", "--quiet", "add", &url, "sub"]);
    git(&above.user_folder(), &["commit", "--quiet", "-m", "sub"]);
    assert!(Repository::discover(&above.user_folder(), &git_options()).unwrap().traits.has_submodules);
    let inside = Repository::discover(&above.user_folder().join("sub"), &git_options()).unwrap();
    assert_eq!(inside.traits.submodule_of, Some(above.user_folder().canonicalize().unwrap()));
}

#[test]
fn old_missing_and_endless_git_programs_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let fake = |name: &str, script: &str| {
        let path = folder.path().join(name);
        // Another test may fork while the file is open for writing; unlike a binary, a script can still be run then.
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let script = path.into_os_string();
        let mut options = git_options();
        options.program = script.into();
        options.time_max = std::time::Duration::from_millis(300);
        options.output_bytes_max = 1000;
        Repository::discover(folder.path(), &options).unwrap_err()
    };
    let old = fake("old", "#!/bin/sh\necho git version 2.37.9\n");
    assert!(matches!(&old, RepoError::GitTooOld { found, .. } if found == "2.37.9"), "{old}");
    let endless = fake("endless", "#!/bin/sh\nsleep 1000 & sleep 1000\n");
    assert!(matches!(endless, RepoError::TimedOut { .. }), "{endless}");
    let loud = fake("loud", "#!/bin/sh\nexec yes\n");
    assert!(matches!(loud, RepoError::TooMuchOutput { .. }), "{loud}");

    let mut options = git_options();
    options.program = folder.path().join("none");
    let missing = Repository::discover(folder.path(), &options).unwrap_err();
    assert!(matches!(missing, RepoError::GitMissing { .. }), "{missing}");
}

#[test]
fn lfs_is_detected_in_every_folder_and_only_in_gitattributes() {
    let check = |file: &str, text: &str, expected: LfsState| {
        let fixture = Fixture::with_base_files(|user| {
            write_file(user, file, text);
            write_file(user, "deep/er/file", "x");
        });
        for from in [".", "deep/er"] {
            let found = Repository::discover(&fixture.user_folder().join(from), &git_options()).unwrap();
            assert_eq!(found.traits.lfs, expected, "{file} from {from}: {text}");
        }
    };
    check(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n", LfsState::FilterMissing);
    check("deep/.gitattributes", "*.bin\tfilter=lfs\n", LfsState::FilterMissing);
    check("deep/er/.gitattributes", "*.txt text\n*.bin diff=lfs filter=lfs\n", LfsState::FilterMissing);
    check("deep/.gitattributes", "# *.bin filter=lfs\n*.bin filter=lfs-not\n", LfsState::Unused);
    check("deep/notes.gitattributes", "*.bin filter=lfs\n", LfsState::Unused);
    check("README", "*.bin filter=lfs\n", LfsState::Unused);
}

#[test]
fn uncommitted_files_are_those_that_differ_from_head() {
    let fixture = Fixture::with_base_files(|user| {
        write_file(user, "edited", "a\n");
        write_file(user, "deleted", "a\n");
        write_file(user, "staged", "a\n");
        write_file(user, "same", "a\n");
        write_file(user, ".gitignore", "ignored\n");
    });
    let user = fixture.user_folder();
    let repository = Repository::discover(&user, &git_options()).unwrap();
    assert!(repository.uncommitted_files().unwrap().is_empty());
    write_file(&user, "edited", "b\n");
    std::fs::remove_file(user.join("deleted")).unwrap();
    write_file(&user, "staged", "b\n");
    git(&user, &["add", "staged"]);
    write_file(&user, "folder/new", "a\n");
    write_file(&user, "ignored", "a\n");
    let files: Vec<_> = repository.uncommitted_files().unwrap().into_iter().collect();
    assert_eq!(files, ["deleted", "edited", "folder/new", "staged"].map(std::path::PathBuf::from));
}
