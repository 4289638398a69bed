//! Tests of loading: one file per aspect.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "cases are files; a test that cannot continue must fail"
)]

mod files;
mod hostile;
mod keys;
mod layers;
mod load;
mod team;
