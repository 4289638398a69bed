//! Looks for a Task Master file on which the plan reader breaks a rule.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| testkit::properties::check_plan_parser(
    bytes,
    plan::PlanFormat::Taskmaster
));
