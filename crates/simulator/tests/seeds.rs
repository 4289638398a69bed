//! Ten thousand imagined runs break no rule.

use simulator::{Options, search};

#[test]
fn ten_thousand_imagined_runs_break_no_rule() {
    let found = search(0, 10_000, &Options::default(), &|_| {});
    let shown = found.violation.map(|violation| {
        let seed = violation.seed;
        format!("{violation}\nsee it with `jangdan sim --first {seed} --seeds 1 --show {seed}`")
    });
    assert!(shown.is_none(), "{}", shown.unwrap_or_default());
    assert!(found.summary.done > 10_000 && found.summary.crashes > 1_000, "{:?}", found.summary);
}
