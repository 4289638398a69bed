//! What a run may cost, as far as it is known before it starts: budgets, and the usage of the last run of the plan.

use std::collections::BTreeSet;

use ::config::Config;
use domain::Budget;
use drivers::preset::{self, DriverName};

use super::{EarlierRun, StartRemark, team::Team};

/// Returns remarks about the cost of a run; none if nothing is known.
pub(super) fn cost_remarks(config: &Config, team: &Team, earlier: &[EarlierRun]) -> Vec<StartRemark> {
    let run = config.settings.budgets.clone();
    let phase = config.budgets.phase.clone();
    let task = config.budgets.task;
    let has_budget = !run.is_empty() || !phase.is_empty() || task.is_some();
    let budget = has_budget.then(|| StartRemark::Budgets { run: run.clone(), phase: phase.clone(), task });
    let is_money = |budget: &Budget| matches!(budget, Budget::Cents(_));
    let has_money_budget = run.iter().chain(&phase).chain(&task).any(is_money);
    let uncounted = if has_money_budget { agents_without_cost(config, team) } else { Vec::new() };
    let uncounted = (!uncounted.is_empty()).then_some(StartRemark::CostUnknown { agents: uncounted });
    let last = earlier.iter().find_map(|run| Some((run, run.used?)));
    let last = last.map(|(run, used)| StartRemark::LastRunUsed { run: run.id.clone(), used });
    budget.into_iter().chain(uncounted).chain(last).collect()
}

/// Returns the agents of the team that never report a cost, and whose models have no configured price.
fn agents_without_cost(config: &Config, team: &Team) -> Vec<String> {
    let reports_none = |name: &String| {
        let Ok(preset) = preset::resolve_preset(name, &config.agents) else { return false };
        match preset.driver {
            DriverName::Pty => true,
            DriverName::Codex => config.prices.is_empty(),
            // Their agents report one.
            DriverName::Claude | DriverName::Acp => false,
        }
    };
    let presets: BTreeSet<&String> = team.presets.values().collect();
    presets.into_iter().filter(|name| reports_none(name)).cloned().collect()
}
