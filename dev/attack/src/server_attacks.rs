//! Attacks on the server and its interfaces: acting as the user, flooding, foreign connections.

use crate::attack::Attack;

pub(crate) const ATTACKS: &[Attack] = &[];
