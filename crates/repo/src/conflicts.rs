//! What `git merge-tree --write-tree` answers: a tree, or the files that it can't join and what each side has there.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::{
    CommitId, RepoError,
    git::{Answer, Git, to_path},
};

/// A file that git can't join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Where it is. A file that is in a folder's way has the name that git gives it.
    pub path: PathBuf,
    /// What was there before both changed it.
    pub base: Option<ConflictSide>,
    /// What the run's branch has.
    pub run: Option<ConflictSide>,
    /// What the task's branch has.
    pub task: Option<ConflictSide>,
    /// Git's words for the kind of conflict, e.g. `contents`, `modify/delete`; empty where it has none.
    pub kind: String,
}

/// What one side has at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictSide {
    /// What it is.
    pub kind: TreeEntryKind,
    /// The object's name.
    pub object: String,
}

/// What a path can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeEntryKind {
    /// A file.
    File,
    /// A file that can be run.
    Executable,
    /// A symbolic link.
    Link,
    /// A submodule's commit.
    Submodule,
}

/// What came of it.
pub(crate) enum MergeTree {
    Merged { tree: String },
    Conflicted(Vec<Conflict>),
}

pub(crate) fn merge_tree(git: &Git, run: &CommitId, task: &CommitId) -> Result<MergeTree, RepoError> {
    // There is no working tree to read `.gitattributes` from. Before git 2.43 merges know none.
    let attributes = format!("attr.tree={run}");
    let merge = ["-c", &attributes, "merge-tree", "--write-tree", "-z", "--messages"];
    let answer = git.call(merge).arg(run.as_str()).arg(task.as_str()).run_or(&[1])?;
    if answer.code == 0 {
        let tree = answer.parts().next().map(|tree| String::from_utf8_lossy(tree).into_owned());
        return tree.map(|tree| MergeTree::Merged { tree }).ok_or_else(|| answer.unreadable());
    }
    let conflicts = parse(&answer).ok_or_else(|| answer.unreadable())?;
    // A conflict without a file would look like nothing to do.
    if conflicts.is_empty() { Err(answer.unreadable()) } else { Ok(MergeTree::Conflicted(conflicts)) }
}

/// Reads the tree, then a part per stage of each file, an empty part, and messages.
fn parse(answer: &Answer) -> Option<Vec<Conflict>> {
    let mut conflicts: BTreeMap<PathBuf, Conflict> = BTreeMap::new();
    let mut parts = answer.output.split(|byte| *byte == 0).skip(1);
    for entry in parts.by_ref().take_while(|entry| !entry.is_empty()) {
        let at = entry.iter().position(|byte| *byte == b'\t')?;
        let (fields, path) = (std::str::from_utf8(entry.get(..at)?).ok()?, to_path(entry.get(at + 1..)?));
        let mut fields = fields.split(' ');
        let kind = TreeEntryKind::of(fields.next()?)?;
        let side = Some(ConflictSide { kind, object: fields.next()?.to_owned() });
        let stage = fields.next()?;
        let conflict = at_path(&mut conflicts, &path);
        match stage {
            "1" => conflict.base = side,
            "2" => conflict.run = side,
            "3" => conflict.task = side,
            _ => return None,
        }
    }
    messages(parts, &mut conflicts);
    Some(conflicts.into_values().collect())
}

/// Reads messages: how many paths, the paths, the kind, the words. What can't be read adds nothing.
fn messages<'a>(mut parts: impl Iterator<Item = &'a [u8]>, conflicts: &mut BTreeMap<PathBuf, Conflict>) {
    while let Some(count) =
        parts.next().and_then(|count| std::str::from_utf8(count).ok()?.parse::<usize>().ok())
    {
        let paths: Vec<PathBuf> = parts.by_ref().take(count).map(to_path).collect();
        let (Some(kind), Some(_)) = (parts.next(), parts.next()) else { return };
        let kind = String::from_utf8_lossy(kind);
        let Some(kind) = kind.strip_prefix("CONFLICT (").and_then(|kind| kind.strip_suffix(')')) else {
            continue;
        };
        // A rename of a whole folder may conflict without any file of its own.
        let is_known = paths.iter().any(|path| conflicts.contains_key(path));
        if let (false, Some(path)) = (is_known, paths.first()) {
            at_path(conflicts, path);
        }
        for path in &paths {
            if let Some(conflict) = conflicts.get_mut(path).filter(|conflict| conflict.kind.is_empty()) {
                kind.clone_into(&mut conflict.kind);
            }
        }
    }
}

fn at_path<'a>(conflicts: &'a mut BTreeMap<PathBuf, Conflict>, path: &Path) -> &'a mut Conflict {
    let new = || Conflict { path: path.to_owned(), base: None, run: None, task: None, kind: String::new() };
    conflicts.entry(path.to_owned()).or_insert_with(new)
}

impl TreeEntryKind {
    fn of(mode: &str) -> Option<Self> {
        match mode {
            "100644" => Some(Self::File),
            "100755" => Some(Self::Executable),
            "120000" => Some(Self::Link),
            "160000" => Some(Self::Submodule),
            _ => None,
        }
    }
}
