//! What is made of layers, good and bad. Each file is one side of it.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "cases are files; a test that cannot go on should stop"
)]

mod hostile;
mod keys;
mod layers;
mod load;
mod read;
mod team;
