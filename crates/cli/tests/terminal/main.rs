//! Commands and screens of a run: with a real server, real git and real sessions; the agents are shell scripts.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::unwrap_used, reason = "a test that cannot run its program has failed")]

mod damage;
mod flood;
mod live_screen;
mod plan_changes;
mod plan_ids;
mod project_setup;
mod run_commands;
mod sandboxed_run;
mod secrets;
mod server_log;
mod standalone_run;
mod subscribers;
mod task_commands;
mod terminal_user;
mod test_project;
