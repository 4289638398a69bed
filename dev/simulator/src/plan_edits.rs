//! Edits of the plan file during a run: any change at any time, sensible or not.

use domain::{
    OfferId, PhaseNumber, PlanStatus, PlannedPhase, PlannedTask, PlannedWork, Report, TaskId, UserCommand,
};

use crate::{
    environment::ScheduledEvent,
    generate::{EXTERNALS, generate_added_task},
    model::Model,
    random::Random,
    rule::RuleViolation,
    simulation::Simulation,
};

impl Simulation {
    /// Schedules the next edit of the plan.
    pub(crate) fn schedule_plan_edit(&mut self) {
        let delay_ms = self.edit_random.seconds_as_ms(1, self.faults.user_command_seconds.saturating_mul(4));
        self.environment.schedule(delay_ms, ScheduledEvent::PlanEdit);
    }

    /// Changes the plan file and reports it; then the offered change may be applied or ignored.
    pub(crate) fn edit_plan(&mut self) -> Result<(), RuleViolation> {
        let report = if self.edit_random.once_in(12) {
            Report::PlanUnreadable { problem: "half a line".to_owned() }
        } else {
            let work = Box::new(edited_plan(&mut self.edit_random, &self.model));
            Report::PlanChanged { work, has_assigned_ids: false }
        };
        self.send_input(report.into())?;
        let offer = self.model.offer.unwrap_or(OfferId(1));
        match self.edit_random.below(10) {
            0..6 => drop(self.send_user_command("ben", UserCommand::ApplyPlanChange { offer })?),
            6 => drop(self.send_user_command("ben", UserCommand::IgnorePlanChange { offer })?),
            // An earlier offer that is no longer open.
            7 => drop(self.send_user_command("ben", UserCommand::ApplyPlanChange { offer: OfferId(1) })?),
            _ => {}
        }
        self.schedule_plan_edit();
        Ok(())
    }
}

/// Returns the current plan with a few changes.
fn edited_plan(random: &mut Random, model: &Model) -> PlannedWork {
    let phase = |(number, phase): (&PhaseNumber, &crate::model::Phase)| PlannedPhase {
        number: *number,
        name: format!("Phase {number}"),
        after: phase.after.clone(),
        verify: phase.verify.clone(),
        artefacts: Vec::new(),
        budgets: Vec::new(),
    };
    let mut work = PlannedWork {
        title: "A simulated plan".to_owned(),
        phases: model.phases.iter().map(phase).collect(),
        tasks: model.tasks.values().map(|task| task.plan.clone()).collect(),
    };
    for _ in 0..random.between(1, 3) {
        apply_random_edit(random, model, &mut work);
    }
    // The parser reports unknown dependencies, so only few remain.
    let ids: Vec<TaskId> = work.tasks.iter().map(|task| task.id.clone()).collect();
    for task in &mut work.tasks {
        task.depends_on.retain(|id| ids.contains(id) || random.once_in(50));
    }
    work
}

fn apply_random_edit(random: &mut Random, model: &Model, work: &mut PlannedWork) {
    let n_tasks = u32::try_from(model.tasks.len() + work.tasks.len()).unwrap_or(0);
    let phases: Vec<PhaseNumber> = work.phases.iter().map(|phase| phase.number).collect();
    let ids: Vec<TaskId> = work.tasks.iter().map(|task| task.id.clone()).collect();
    let (Some(phase), Some(other)) = (random.pick(&phases).copied(), random.pick(&ids).cloned()) else {
        return;
    };
    match random.below(20) {
        0..5 => {
            let Some(mut added) = generate_added_task(random, phase, 200 + n_tasks, &model.team) else {
                return;
            };
            added.depends_on.extend(random.once_in(2).then_some(other));
            work.tasks.push(added);
        }
        5..8 => work.tasks.retain(|task| task.id != other),
        8 => {
            let number = phases.iter().max().map_or(1, |last| last + 1);
            let after = if random.once_in(4) { Vec::new() } else { vec![phase] };
            let name = format!("Phase {number}");
            let (verify, artefacts, budgets) = (None, Vec::new(), Vec::new());
            work.phases.push(PlannedPhase { number, name, after, verify, artefacts, budgets });
            work.tasks.extend(generate_added_task(random, number, 200 + n_tasks, &model.team));
        }
        9 => {
            let earlier = random.pick(&phases).copied();
            if let Some(changed) = work.phases.iter_mut().find(|known| known.number == phase) {
                changed.after = earlier.filter(|earlier| *earlier != phase).into_iter().collect();
            }
        }
        _ => {
            let earlier = random.pick(&ids).cloned();
            let another = generate_added_task(random, phase, 1, &model.team);
            if let (Some(task), Some(another)) =
                (work.tasks.iter_mut().find(|task| task.id == other), another)
            {
                change_task_property(random, task, earlier, another);
            }
        }
    }
}

/// Changes one property of a task.
fn change_task_property(
    random: &mut Random,
    task: &mut PlannedTask,
    earlier: Option<TaskId>,
    another: PlannedTask,
) {
    match random.below(12) {
        0..3 => task.text = format!("{} and more", task.text),
        3 => task.acceptance.push("it works".to_owned()),
        4 => task.depends_on.extend(earlier),
        5 => drop(task.depends_on.pop()),
        6 => (task.verify, task.tester) = (another.verify, another.tester),
        7 => (task.agent, task.priority) = (another.agent, another.priority),
        8 => (task.touches, task.worktree) = (another.touches, another.worktree),
        9 => {
            (task.timeout_ms, task.complexity, task.budget) =
                (another.timeout_ms, another.complexity, another.budget)
        }
        10 => {
            task.external = match task.external.is_empty() {
                true => random.pick(&EXTERNALS).map(|name| (*name).to_owned()).into_iter().collect(),
                false => Vec::new(),
            };
        }
        _ => {
            task.plan_status =
                if task.plan_status == PlanStatus::Open { PlanStatus::Done } else { PlanStatus::Open };
        }
    }
}
