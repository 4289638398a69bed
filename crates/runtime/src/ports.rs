//! Which ports each place has to itself: the worktrees of all runs of a data directory, and those who work in place.
//!
//! Invariant: no two places that live have a port in common, while there are enough. A place keeps its ports as long as it
//! lives, also over a restart.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{Mutex, PoisonError},
};

use domain::RunId;
use serde::{Deserialize, Serialize};

use crate::{host::OVER, outfit::Ports};

/// The file in the data directory.
const FILE: &str = "ports.json";

/// The ports of a data directory.
#[derive(Default)]
pub(crate) struct PortBook {
    /// Read when somebody needs it first.
    blocks: Mutex<Option<Blocks>>,
}

/// Who has which, by the name of the place.
type Blocks = BTreeMap<String, Block>;

/// The ports of one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Block {
    first: u16,
    count: u16,
    /// Whether there is no worktree, so that they are free when the run is over.
    #[serde(default)]
    in_place: bool,
}

/// A place that needs ports. It is there already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place<'a> {
    /// A worktree, by the name of its folder.
    Worktree(&'a str),
    /// The project's own folder, for one of those who work in it.
    InPlace { run: &'a RunId, whose: &'a str },
}

impl Place<'_> {
    fn name(&self) -> String {
        match self {
            Self::Worktree(folder) => (*folder).to_owned(),
            Self::InPlace { run, whose } => format!("{run}-{whose}"),
        }
    }
}

impl PortBook {
    /// Returns the first of a place's own ports: the same each time.
    pub(crate) fn first(&self, data: &Path, place: &Place<'_>, ports: Ports) -> u16 {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let blocks = blocks.get_or_insert_with(|| {
            let text = fs::read(data.join(FILE)).unwrap_or_default();
            // Places whose ports can't be read get others when they need them.
            serde_json::from_slice(&text).unwrap_or_default()
        });
        let name = place.name();
        let wanted = ports.per_task.max(1);
        if let Some(block) = blocks.get(&name).filter(|block| block.count == wanted) {
            return block.first;
        }
        let mut runs = BTreeMap::new();
        blocks.retain(|name, block| {
            if !block.in_place {
                return data.join("worktrees").join(name).is_dir();
            }
            let run = name.split_once('-').map_or(&**name, |(run, _)| run);
            *runs.entry(run.to_owned()).or_insert_with(|| is_on(data, run))
        });
        let first = free(blocks, &name, ports);
        let in_place = matches!(place, Place::InPlace { .. });
        blocks.insert(name, Block { first, count: wanted, in_place });
        // Where it can't be written down, it holds until the next start.
        drop(write(&data.join(FILE), blocks));
        first
    }
}

/// Finds ports that nobody has. Where there are none, some are had twice.
fn free(blocks: &Blocks, name: &str, ports: Ports) -> u16 {
    let (first, per_task) = (u32::from(ports.first), u32::from(ports.per_task.max(1)));
    let n_blocks = ((u32::from(ports.last) + 1).saturating_sub(first) / per_task).max(1);
    // Not all begin at the first: other data directories may be in use, too. FNV-1a is small, and stable over versions.
    let fold = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let start = name.bytes().fold(0x811c_9dc5, fold) % n_blocks;
    let base = |number: u32| first + (start + number) % n_blocks * per_task;
    let is_free = |base: &u32| {
        blocks.values().all(|block| {
            let theirs = u32::from(block.first);
            base + per_task <= theirs || theirs + u32::from(block.count) <= *base
        })
    };
    let found = (0..n_blocks).map(base).find(is_free).unwrap_or_else(|| base(0));
    u16::try_from(found).unwrap_or(ports.first)
}

fn is_on(data: &Path, run: &str) -> bool {
    let folder = data.join("runs").join(run);
    folder.is_dir() && !folder.join(OVER).exists()
}

fn write(path: &Path, blocks: &Blocks) -> std::io::Result<()> {
    let new = path.with_extension("new");
    fs::write(&new, serde_json::to_vec(blocks)?)?;
    fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use tempfile::TempDir;

    use super::{Place, PortBook};
    use crate::outfit::Ports;

    struct Machine {
        data: TempDir,
        book: PortBook,
    }

    impl Machine {
        fn new() -> Self {
            Self { data: tempfile::tempdir().unwrap(), book: PortBook::default() }
        }

        fn make(&self, name: &str) {
            fs::create_dir_all(self.data.path().join("worktrees").join(name)).unwrap();
        }

        fn remove(&self, name: &str) {
            fs::remove_dir(self.data.path().join("worktrees").join(name)).unwrap();
        }

        /// Returns the ports of a worktree, which is made.
        fn ports(&self, name: &str, (first, last, per_task): (u16, u16, u16)) -> Vec<u16> {
            self.make(name);
            let base =
                self.book.first(self.data.path(), &Place::Worktree(name), Ports { first, last, per_task });
            (base..=base.saturating_add(per_task - 1)).collect()
        }
    }

    const FEW: (u16, u16, u16) = (20_000, 20_029, 10);

    #[test]
    fn places_that_live_have_no_port_in_common() {
        // Every block of a range is had before one is had twice; none leaves the range.
        for range @ (first, last, per_task) in
            [FEW, (1024, 1123, 1), (65_500, 65_535, 6), (20_000, 20_025, 10), (20_000, 20_000, 1)]
        {
            let machine = Machine::new();
            let n_blocks = (u32::from(last - first) + 1) / u32::from(per_task);
            let mut had = BTreeSet::new();
            for number in 0..n_blocks {
                for port in machine.ports(&format!("r{}-T{number}", number % 3), range) {
                    assert!((first..=last).contains(&port), "{port} of {range:?}");
                    assert!(had.insert(port), "{port} of {range:?} is had twice");
                }
            }
            let more = machine.ports("r1-T99", range);
            assert!(more.iter().all(|port| (first..=last).contains(port)), "{more:?}");
        }
    }

    #[test]
    fn runs_that_count_differently_do_not_overlap_either() {
        let machine = Machine::new();
        let mut had = BTreeSet::new();
        for (number, per_task) in [7, 10, 3, 10, 1, 7, 3, 10].into_iter().enumerate() {
            for port in machine.ports(&format!("r{number}-T1"), (20_000, 20_099, per_task)) {
                assert!(had.insert(port), "{port} is had twice");
            }
        }
    }

    #[test]
    fn a_place_keeps_its_ports_over_a_restart_and_frees_them_when_it_goes() {
        let mut machine = Machine::new();
        let had = ["r1-T1", "r1-check", "r3-T1"].map(|name| machine.ports(name, FEW));
        machine.book = PortBook::default();
        // In another order, in which they would find others.
        let mut again = ["r3-T1", "r1-check", "r1-T1"].map(|name| machine.ports(name, FEW));
        again.reverse();
        assert_eq!(again, had);
        machine.remove("r1-check");
        assert_eq!(machine.ports("r2-desk-s_1", FEW), had[1], "no others are free");
        assert_eq!(machine.ports("r1-T1", FEW), had[0]);
        fs::write(machine.data.path().join("ports.json"), "damaged").unwrap();
        machine.book = PortBook::default();
        assert_eq!(machine.ports("r1-T1", FEW).len(), 10);
    }

    #[test]
    fn whoever_works_in_place_has_ports_until_the_run_is_over() {
        let machine = Machine::new();
        let (run, data) = ("r1".parse().unwrap(), machine.data.path());
        fs::create_dir_all(data.join("runs/r1")).unwrap();
        let ports = |whose| {
            let (first, last, per_task) = FEW;
            machine.book.first(data, &Place::InPlace { run: &run, whose }, Ports { first, last, per_task })
        };
        assert_eq!(BTreeSet::from(["T1", "T2", ""].map(ports)).len(), 3);
        fs::write(data.join("runs/r1/over"), "").unwrap();
        let next: BTreeSet<u16> =
            ["r2-T1", "r2-T2", "r2-T3"].iter().flat_map(|name| machine.ports(name, FEW)).collect();
        assert_eq!(next.len(), 30);
    }
}
