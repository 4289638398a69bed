//! Blocks of ports for the worktrees of all runs of a data directory, and for tasks that work in the project's folder.
//!
//! Invariant: no two owners share a port unless the range is exhausted. An owner keeps its ports as long as it exists, also
//! across restarts.

use std::{
    collections::BTreeMap,
    error::Error,
    fs, io,
    path::Path,
    sync::{Mutex, PoisonError},
};

use domain::RunId;
use serde::{Deserialize, Serialize};
use tracing::warn;

use crate::{environment::Ports, host::ENDED_MARKER};

/// Name of the file in the data directory.
const FILE: &str = "ports.json";

/// Port blocks of a data directory.
#[derive(Default)]
pub(crate) struct PortRegistry {
    /// Read from the file on first use.
    blocks: Mutex<Option<PortBlocks>>,
}

/// Blocks by the name of their owner.
type PortBlocks = BTreeMap<String, PortBlock>;

/// The ports of one owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct PortBlock {
    first: u16,
    count: u16,
    /// Whether the owner has no worktree, so that the ports are free when the run has ended.
    #[serde(default)]
    in_place: bool,
}

/// Owner of a block of ports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PortOwner<'a> {
    /// An existing worktree, by the name of its folder.
    Worktree(&'a str),
    /// A task that works in the project's folder; empty for other sessions.
    InPlace { run: &'a RunId, task: &'a str },
}

impl PortOwner<'_> {
    fn name(&self) -> String {
        match self {
            Self::Worktree(folder) => (*folder).to_owned(),
            Self::InPlace { run, task } => format!("{run}-{task}"),
        }
    }
}

impl PortRegistry {
    /// Returns the first port of an owner's block, which is allocated on the first call.
    pub(crate) fn first_port(&self, data: &Path, owner: &PortOwner<'_>, ports: Ports) -> u16 {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let blocks = blocks.get_or_insert_with(|| {
            // If the file is unreadable, all owners get new blocks.
            read(&data.join(FILE)).unwrap_or_else(|error| {
                warn!(path = %data.join(FILE).display(), error = &error as &dyn Error, "all ports are allocated again");
                PortBlocks::default()
            })
        });
        let name = owner.name();
        let count = ports.per_task.max(1);
        if let Some(block) = blocks.get(&name).filter(|block| block.count == count) {
            return block.first;
        }
        let mut runs = BTreeMap::new();
        blocks.retain(|name, block| {
            if !block.in_place {
                return data.join("worktrees").join(name).is_dir();
            }
            let run = name.split_once('-').map_or(&**name, |(run, _)| run);
            *runs.entry(run.to_owned()).or_insert_with(|| is_run_active(data, run))
        });
        let first = find_free_block(blocks, &name, ports);
        let in_place = matches!(owner, PortOwner::InPlace { .. });
        blocks.insert(name, PortBlock { first, count, in_place });
        // On failure the block is valid until the next start.
        if let Err(error) = write(&data.join(FILE), blocks) {
            warn!(path = %data.join(FILE).display(), error = &error as &dyn Error, "cannot save the allocated ports");
        }
        first
    }
}

/// Returns the first port of a free block; reuses a block when the range is exhausted.
fn find_free_block(blocks: &PortBlocks, name: &str, ports: Ports) -> u16 {
    let (first, per_task) = (u32::from(ports.first), u32::from(ports.per_task.max(1)));
    let n_blocks = ((u32::from(ports.last) + 1).saturating_sub(first) / per_task).max(1);
    // The search starts at a hash of the name, since other data directories may use the same range. FNV-1a is small and
    // stable across versions.
    let fold = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let start = name.bytes().fold(0x811c_9dc5, fold) % n_blocks;
    let base = |number: u32| first + (start + number) % n_blocks * per_task;
    let is_free = |base: &u32| {
        blocks.values().all(|block| {
            let block_first = u32::from(block.first);
            base + per_task <= block_first || block_first + u32::from(block.count) <= *base
        })
    };
    let port = (0..n_blocks).map(base).find(is_free).unwrap_or_else(|| base(0));
    u16::try_from(port).unwrap_or(ports.first)
}

fn is_run_active(data: &Path, run: &str) -> bool {
    let folder = data.join("runs").join(run);
    folder.is_dir() && !folder.join(ENDED_MARKER).exists()
}

/// Reads the blocks; none if the file does not exist.
fn read(path: &Path) -> io::Result<PortBlocks> {
    match fs::read(path) {
        Ok(text) => Ok(serde_json::from_slice(&text)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(PortBlocks::default()),
        Err(error) => Err(error),
    }
}

fn write(path: &Path, blocks: &PortBlocks) -> io::Result<()> {
    let new = path.with_extension("new");
    fs::write(&new, serde_json::to_vec(blocks)?)?;
    fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use tempfile::TempDir;

    use super::{PortOwner, PortRegistry};
    use crate::environment::Ports;

    struct PortTest {
        data: TempDir,
        registry: PortRegistry,
    }

    impl PortTest {
        fn new() -> Self {
            Self { data: tempfile::tempdir().unwrap(), registry: PortRegistry::default() }
        }

        fn create_worktree(&self, name: &str) {
            fs::create_dir_all(self.data.path().join("worktrees").join(name)).unwrap();
        }

        fn remove_worktree(&self, name: &str) {
            fs::remove_dir(self.data.path().join("worktrees").join(name)).unwrap();
        }

        /// Creates a worktree and returns its ports.
        fn ports_of_new_worktree(&self, name: &str, (first, last, per_task): (u16, u16, u16)) -> Vec<u16> {
            self.create_worktree(name);
            let base = self.registry.first_port(
                self.data.path(),
                &PortOwner::Worktree(name),
                Ports { first, last, per_task },
            );
            (base..=base.saturating_add(per_task - 1)).collect()
        }
    }

    const FEW: (u16, u16, u16) = (20_000, 20_029, 10);

    #[test]
    fn owners_share_no_port() {
        // Every block of a range is used before one is reused, and all are within the range.
        for range @ (first, last, per_task) in
            [FEW, (1024, 1123, 1), (65_500, 65_535, 6), (20_000, 20_025, 10), (20_000, 20_000, 1)]
        {
            let test = PortTest::new();
            let n_blocks = (u32::from(last - first) + 1) / u32::from(per_task);
            let mut used = BTreeSet::new();
            for number in 0..n_blocks {
                for port in test.ports_of_new_worktree(&format!("r{}-T{number}", number % 3), range) {
                    assert!((first..=last).contains(&port), "{port} of {range:?}");
                    assert!(used.insert(port), "{port} of {range:?} is allocated twice");
                }
            }
            let more = test.ports_of_new_worktree("r1-T99", range);
            assert!(more.iter().all(|port| (first..=last).contains(port)), "{more:?}");
        }
    }

    #[test]
    fn blocks_of_different_sizes_do_not_overlap() {
        let test = PortTest::new();
        let mut used = BTreeSet::new();
        for (number, per_task) in [7, 10, 3, 10, 1, 7, 3, 10].into_iter().enumerate() {
            for port in test.ports_of_new_worktree(&format!("r{number}-T1"), (20_000, 20_099, per_task)) {
                assert!(used.insert(port), "{port} is allocated twice");
            }
        }
    }

    #[test]
    fn worktree_keeps_its_ports_across_a_restart_and_frees_them_when_it_is_removed() {
        let mut test = PortTest::new();
        let before = ["r1-T1", "r1-check", "r3-T1"].map(|name| test.ports_of_new_worktree(name, FEW));
        test.registry = PortRegistry::default();
        // In another order, which would allocate other blocks.
        let mut after = ["r3-T1", "r1-check", "r1-T1"].map(|name| test.ports_of_new_worktree(name, FEW));
        after.reverse();
        assert_eq!(after, before);
        test.remove_worktree("r1-check");
        assert_eq!(test.ports_of_new_worktree("r2-desk-s_1", FEW), before[1], "no other block is free");
        assert_eq!(test.ports_of_new_worktree("r1-T1", FEW), before[0]);
        fs::write(test.data.path().join("ports.json"), "damaged").unwrap();
        test.registry = PortRegistry::default();
        assert_eq!(test.ports_of_new_worktree("r1-T1", FEW).len(), 10);
    }

    #[test]
    fn tasks_that_work_in_place_have_ports_until_the_run_ends() {
        let test = PortTest::new();
        let (run, data) = ("r1".parse().unwrap(), test.data.path());
        fs::create_dir_all(data.join("runs/r1")).unwrap();
        let ports = |task| {
            let (first, last, per_task) = FEW;
            test.registry.first_port(
                data,
                &PortOwner::InPlace { run: &run, task },
                Ports { first, last, per_task },
            )
        };
        assert_eq!(BTreeSet::from(["T1", "T2", ""].map(ports)).len(), 3);
        fs::write(data.join("runs/r1/over"), "").unwrap();
        let next: BTreeSet<u16> = ["r2-T1", "r2-T2", "r2-T3"]
            .iter()
            .flat_map(|name| test.ports_of_new_worktree(name, FEW))
            .collect();
        assert_eq!(next.len(), 30);
    }
}
