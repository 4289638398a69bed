//! Ten thousand imagined runs break no rule, and those that once did break none any more.

use simulator::{Found, Options, search};

/// Seeds that a soak has found, each for a rule of the engine that was wrong.
const FOUND_BY_SOAK: &[u64] = &[
    17_198, 27_676, 62_009, 101_704, 205_090, 353_571, 360_600, 447_461, 518_938, 681_093, 758_714, 865_509,
];

fn check(found: &Found) {
    let shown = found.violation.as_ref().map(|violation| {
        let seed = violation.seed;
        format!("{violation}\nsee it with `jangdan sim --first {seed} --seeds 1 --show {seed}`")
    });
    assert!(shown.is_none(), "{}", shown.unwrap_or_default());
}

#[test]
fn ten_thousand_imagined_runs_break_no_rule() {
    let found = search(0, 10_000, &Options::default(), &|_| {});
    check(&found);
    assert!(found.summary.done > 10_000 && found.summary.crashes > 1_000, "{:?}", found.summary);
    assert!(found.summary.amended > 1_000, "{:?}", found.summary);
}

#[test]
fn what_a_soak_has_found_is_mended() {
    for seed in FOUND_BY_SOAK {
        check(&search(*seed, 1, &Options::default(), &|_| {}));
    }
}
