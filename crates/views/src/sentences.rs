//! Sentences about events, inputs and plan changes, in English and Korean.

pub(crate) mod en;
pub(crate) mod ko;
