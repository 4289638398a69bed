//! Looks for output of an agent on which the decoder breaks a rule.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| testkit::properties::check_decoder(bytes));
