//! Runs `git merge-tree --write-tree` and parses its result: a tree, or the conflicting files with their three sides.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::{
    CommitId, RepoError,
    git::{GitClient, GitOutput, to_path},
};

/// A file that git cannot merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// If a file conflicts with a folder, this is the name that git assigns to the file.
    pub path: PathBuf,
    /// Version of the merge base.
    pub base: Option<ConflictSide>,
    /// Version of the run's branch.
    pub run: Option<ConflictSide>,
    /// Version of the task's branch.
    pub task: Option<ConflictSide>,
    /// Git's name for the conflict, such as `contents` or `modify/delete`; empty if git gives none.
    pub kind: String,
}

/// One side of a conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictSide {
    /// Kind of the tree entry.
    pub kind: TreeEntryKind,
    /// Id of the object.
    pub object: String,
}

/// Kind of a tree entry, from its file mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeEntryKind {
    /// A regular file.
    File,
    /// An executable file.
    Executable,
    /// A symbolic link.
    Link,
    /// A commit of a submodule.
    Submodule,
}

pub(crate) enum MergeTreeResult {
    Merged { tree: String },
    Conflicted(Vec<Conflict>),
}

pub(crate) fn merge_tree(
    git: &GitClient,
    run: &CommitId,
    task: &CommitId,
) -> Result<MergeTreeResult, RepoError> {
    // There is no working tree to read `.gitattributes` from. Git before 2.43 ignores this setting.
    let attributes = format!("attr.tree={run}");
    let merge = ["-c", &attributes, "merge-tree", "--write-tree", "-z", "--messages"];
    let answer = git.call(merge).arg(run.as_str()).arg(task.as_str()).run_accepting_codes(&[1])?;
    if answer.code == 0 {
        let tree = answer.nul_parts().next().map(|tree| String::from_utf8_lossy(tree).into_owned());
        return tree
            .map(|tree| MergeTreeResult::Merged { tree })
            .ok_or_else(|| answer.unexpected_output_error());
    }
    let conflicts = parse_conflicts(&answer).ok_or_else(|| answer.unexpected_output_error())?;
    // An empty list would look like a successful merge.
    if conflicts.is_empty() {
        Err(answer.unexpected_output_error())
    } else {
        Ok(MergeTreeResult::Conflicted(conflicts))
    }
}

/// Parses the output: the tree, one part per stage of each file, an empty part, and messages.
fn parse_conflicts(answer: &GitOutput) -> Option<Vec<Conflict>> {
    let mut conflicts: BTreeMap<PathBuf, Conflict> = BTreeMap::new();
    let mut parts = answer.output.split(|byte| *byte == 0).skip(1);
    for entry in parts.by_ref().take_while(|entry| !entry.is_empty()) {
        let at = entry.iter().position(|byte| *byte == b'\t')?;
        let (fields, path) = (std::str::from_utf8(entry.get(..at)?).ok()?, to_path(entry.get(at + 1..)?));
        let mut fields = fields.split(' ');
        let kind = TreeEntryKind::from_mode(fields.next()?)?;
        let side = Some(ConflictSide { kind, object: fields.next()?.to_owned() });
        let stage = fields.next()?;
        let conflict = conflict_at(&mut conflicts, &path);
        match stage {
            "1" => conflict.base = side,
            "2" => conflict.run = side,
            "3" => conflict.task = side,
            _ => return None,
        }
    }
    parse_messages(parts, &mut conflicts);
    Some(conflicts.into_values().collect())
}

/// Parses messages: number of paths, the paths, kind and text. Unreadable messages are ignored.
fn parse_messages<'a>(
    mut parts: impl Iterator<Item = &'a [u8]>,
    conflicts: &mut BTreeMap<PathBuf, Conflict>,
) {
    while let Some(count) =
        parts.next().and_then(|count| std::str::from_utf8(count).ok()?.parse::<usize>().ok())
    {
        let paths: Vec<PathBuf> = parts.by_ref().take(count).map(to_path).collect();
        let (Some(kind), Some(_)) = (parts.next(), parts.next()) else { return };
        let kind = String::from_utf8_lossy(kind);
        let Some(kind) = kind.strip_prefix("CONFLICT (").and_then(|kind| kind.strip_suffix(')')) else {
            continue;
        };
        // A rename of a whole folder may conflict without any conflicting file.
        let is_known = paths.iter().any(|path| conflicts.contains_key(path));
        if let (false, Some(path)) = (is_known, paths.first()) {
            conflict_at(conflicts, path);
        }
        for path in &paths {
            if let Some(conflict) = conflicts.get_mut(path).filter(|conflict| conflict.kind.is_empty()) {
                kind.clone_into(&mut conflict.kind);
            }
        }
    }
}

fn conflict_at<'a>(conflicts: &'a mut BTreeMap<PathBuf, Conflict>, path: &Path) -> &'a mut Conflict {
    let new = || Conflict { path: path.to_owned(), base: None, run: None, task: None, kind: String::new() };
    conflicts.entry(path.to_owned()).or_insert_with(new)
}

impl TreeEntryKind {
    fn from_mode(mode: &str) -> Option<Self> {
        match mode {
            "100644" => Some(Self::File),
            "100755" => Some(Self::Executable),
            "120000" => Some(Self::Link),
            "160000" => Some(Self::Submodule),
            _ => None,
        }
    }
}
