//! Looks for a check list on which the plan reader breaks a rule.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| testkit::properties::plan(bytes, plan::PlanFormat::Checklist));
