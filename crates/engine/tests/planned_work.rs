//! The conversion of a plan keeps all of its fields.

use domain::{Budget, PlanStatus};
use plan::{ParseOptions, parse};

const PLAN: &str = "# A shop\n\n## Phase 1: Begin\n- **Verify**: make\n- **Artefacts**: docs/*.md\n\
    - **Budget**: 200k, $2\n### T1: Paint\n- **Agent**: coder\n- **Tester**: qa\n- **Verify**: make paint\n\
    - **Touches**: src/\n- **Timeout**: 5m\n- **Budget**: 7k\n- **Dependencies**: T0, contract\n### T0: Look\n- **Status**: done\n\
    ## Phase 2: End\n### T2: Sell\n";

#[test]
fn every_field_of_a_plan_is_converted() {
    let reading = parse(PLAN.as_bytes(), ParseOptions::default());
    let work = engine::planned_work(&reading.plan, false);
    assert_eq!(work.title, "A shop");
    let [begin, end] = &work.phases[..] else { panic!("{:?}", work.phases) };
    assert_eq!((begin.number, begin.name.as_str(), &begin.after[..]), (1, "Begin", &[][..]));
    assert_eq!((end.number, end.name.as_str(), &end.after[..]), (2, "End", &[1][..]));
    assert_eq!(begin.verify.as_deref(), Some("make"));
    assert_eq!(begin.artefacts, ["docs/*.md"]);
    assert_eq!(begin.budgets, [Budget::Tokens(200_000), Budget::Cents(200)]);
    let task = |id: &str| {
        work.tasks.iter().find(|task| task.id.as_str() == id).unwrap_or_else(|| panic!("{work:?}"))
    };
    let paint = task("T1");
    let names = [&paint.agent, &paint.tester].map(|name| name.as_ref().map(ToString::to_string));
    assert_eq!(names, [Some("coder".to_owned()), Some("qa".to_owned())]);
    assert_eq!(paint.verify.as_deref(), Some("make paint"));
    assert_eq!(paint.touches, ["src/"]);
    assert_eq!(paint.timeout_ms, Some(300_000));
    assert_eq!(paint.budget, Some(Budget::Tokens(7000)));
    assert_eq!((paint.depends_on.len(), &paint.external[..]), (1, &["contract".to_owned()][..]));
    assert_eq!((task("T0").plan_status, paint.plan_status), (PlanStatus::Done, PlanStatus::Open));
}
