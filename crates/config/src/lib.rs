//! The configuration: merges the user's file, `jangdan.toml`, the environment and flags into a [`Config`].
//!
//! Every value records its origin, and all problems are reported at once with their locations. Does no IO: the caller
//! reads the files.

mod agents;
mod closest_name;
mod config;
mod entries;
mod file_layer;
mod files;
mod key;
mod keys;
mod layer;
mod load;
mod location;
mod origin;
mod override_layer;
mod parse;
mod path;
mod problem;
mod problem_text;
mod raw_value;
mod rows;
mod team;
mod units;
mod value;
mod value_kind;
mod values;

pub use closest_name::closest_name;
pub use config::{
    BudgetConfig, CommitConfig, Config, LandStrategy, MemberConfig, PortConfig, SandboxConfig, SandboxMode,
    TeamConfig, WorktreeConfig,
};
pub use entries::{ConfigEntry, entries, to_toml};
pub use files::{FILE_BYTES_MAX, PROJECT_FILE, user_file};
pub use key::Key;
pub use keys::KEYS;
pub use load::{ConfigFile, Layers, LoadedConfig, load};
pub use origin::{Origin, TextLocation};
pub use problem::{PROBLEMS_MAX, Problem, Severity};
pub use problem_text::{ProblemHint, ProblemMessage};
pub use rows::{KeyRow, OriginRow, ValueRow, rows};
pub use value::Value;
pub use value_kind::ValueKind;
