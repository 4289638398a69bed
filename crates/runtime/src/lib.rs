//! Turns the crank: decides, records, shows, and gives the orders out, in this order.
//!
//! Decides nothing itself. Today there is the step of one run; what carries the orders out is still to come.

mod kept;

pub use kept::{Kept, Step, WishError};
