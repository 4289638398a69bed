//! What can go first, and what must not.

use repo::Holds;

use crate::stage::{Stage, id, write};

#[test]
fn merged_worktrees_go_first_and_unkept_work_never() {
    let stage = Stage::new();
    let unkept = stage.create("T1");
    write(&unkept.path, "new", "x");
    let kept = stage.create("T2");
    write(&kept.path, "new", "x");
    stage.run.keep(&kept, "turn", &[]).unwrap();
    let merged = stage.task("T3", |path| write(path, "small", "x"));
    let large = stage.task("T4", |path| write(path, "large", "x"));
    stage.merge("T3");
    stage.merge("T4");
    write(&large.path, "build.log", vec![1; 1 << 20]);
    stage.task("T5", |path| write(path, "committed", "x"));

    let uses = stage.run.disk_use(&[]).unwrap();
    let order: Vec<_> = uses.iter().map(|used| (used.worktree.task.to_string(), used.holds)).collect();
    assert_eq!(order[0], ("T4".to_owned(), Holds::Merged));
    assert_eq!(order[1], ("T3".to_owned(), Holds::Merged));
    assert_eq!(order[4], ("T1".to_owned(), Holds::Unkept));
    assert!(order[2..4].iter().all(|(_, holds)| *holds == Holds::Kept), "{order:?}");
    assert!(uses[0].bytes > 1 << 20 && uses[0].bytes < 1 << 22);
    // Kept once, changed since.
    write(&kept.path, "new", "y");
    let uses = stage.run.disk_use(&[]).unwrap();
    assert!(uses.iter().any(|used| used.worktree.task == id("T2") && used.holds == Holds::Unkept));
    stage.run.scratch(&stage.run.tip().unwrap()).unwrap();
    assert!(stage.run.scratch_bytes() > 0);
    assert!(merged.path.exists());
}
