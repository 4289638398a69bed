//! Ten thousand simulated runs break no rule, nor do the seeds that once did.

use simulator::{Options, SearchResult, search_failing_seed};

/// Seeds found by `cargo xtask soak`, each for a bug of the engine.
const FOUND_BY_SOAK: &[u64] = &[
    17_198, 27_676, 62_009, 101_704, 205_090, 353_571, 360_600, 447_461, 518_938, 681_093, 758_714, 865_509,
    8_946, 11_856,
];

fn assert_no_failure(result: &SearchResult) {
    let shown = result.failure.as_ref().map(|failure| {
        let seed = failure.seed;
        format!("{failure}\nprint that run with `cargo xtask sim --show {seed}`")
    });
    assert!(shown.is_none(), "{}", shown.unwrap_or_default());
}

#[test]
fn ten_thousand_simulated_runs_break_no_rule() {
    let result = search_failing_seed(0, 10_000, &Options::default(), &|_| {});
    assert_no_failure(&result);
    assert!(result.summary.done > 10_000 && result.summary.crashes > 1_000, "{:?}", result.summary);
    assert!(result.summary.amended > 1_000, "{:?}", result.summary);
}

#[test]
fn seeds_found_by_a_soak_pass() {
    for seed in FOUND_BY_SOAK {
        assert_no_failure(&search_failing_seed(*seed, 1, &Options::default(), &|_| {}));
    }
}
