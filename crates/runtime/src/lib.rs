//! Turns the crank: decides, records, shows, and gives the orders out, in this order.
//!
//! [`Host`] has all runs of a data directory. Each has a loop on a thread of its own, and what the loop orders is carried
//! out on others: a thread for each living session, one for each check, merge or checkpoint. Decides nothing itself.

mod choices;
mod crank;
mod disk;
mod git;
mod host;
mod kept;
mod learned;
mod outfit;
mod plan_file;
mod ports;
pub mod prepare;
mod published;
mod reach;
mod world;

pub use choices::{choices_file, project_root};
pub use git::{Cleaned, Landed};
pub use host::{AfterStop, Host, HostError, NewRun, Shown};
pub use kept::{Kept, ShownEvent, Step, WishError};
pub use outfit::{Isolation, Outfit, PlanReading, Ports, SandboxMode};
pub use published::{Glimpse, Published};
pub use reach::{
    Output, Picture, Piece, Place, Records, Screen, ScreenShown, Wanted, WantedRecords, Way, processes,
};
