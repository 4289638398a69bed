//! Jangdan's configuration: `jangdan.toml`, the user's own file, the environment and flags → [`Config`].
//!
//! Every value knows where it comes from, every mistake is shown in place, and all of them at once. Never does IO: it
//! takes texts with their names.

mod agents;
mod config;
mod file;
mod files;
mod form;
mod given;
mod key;
mod keys;
mod layer;
mod load;
mod measure;
mod near;
mod origin;
mod path;
mod place;
mod problem;
mod read;
mod rows;
mod show;
mod team;
mod value;
mod values;
mod words;

pub use config::{Config, Described, Ports, Sandbox, SandboxMode, TaskBudgets, Team, Worktree};
pub use files::{FILE_BYTES_MAX, PROJECT_FILE, user_file};
pub use form::Form;
pub use key::Key;
pub use keys::KEYS;
pub use load::{File, Layers, Loaded, load};
pub use origin::{At, Origin};
pub use problem::{PROBLEMS_MAX, Problem, Severity};
pub use rows::{KeyRow, OriginRow, ValueRow, rows};
pub use show::{Entry, entries, write};
pub use value::Value;
