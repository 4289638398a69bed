//! Plan changes: tasks that are done or running are not affected.

use domain::{OfferId, PlanField, PlannedPhase, PlannedTask};

use super::{Model, Phase, Stage};
use crate::rule::Rule;

impl Model {
    /// Removes the offer, which must be the open one.
    pub(super) fn close_offer(&mut self, offer: OfferId) {
        if self.offer.take() != Some(offer) {
            self.add_violation(Rule::PlanChange, format!("{offer} is decided, but was not offered"));
        }
    }

    pub(super) fn add_phase(&mut self, planned: &PlannedPhase) {
        let phase =
            Phase { after: planned.after.clone(), verify: planned.verify.clone(), ..Phase::default() };
        if self.phases.insert(planned.number, phase).is_some() {
            self.add_violation(Rule::PlanChange, format!("phase {} is added again", planned.number));
        }
    }

    /// Changes the plan of a task; for a live one only its texts, its check and its tester may change.
    pub(super) fn change_planned_task(&mut self, planned: &PlannedTask, fields: &[PlanField]) {
        let Some(task) = self.tasks.get_mut(&planned.id) else {
            return self.add_violation(Rule::PlanChange, format!("{} changes and is not a task", planned.id));
        };
        let is_text =
            |field: &PlanField| matches!(field, PlanField::Title | PlanField::Text | PlanField::Acceptance);
        let is_check = |field: &PlanField| matches!(field, PlanField::Verify | PlanField::Tester);
        let late = match task.stage {
            // The results of its checks are subject to another rule.
            Stage::Working | Stage::Checking | Stage::Merging => {
                fields.iter().find(|field| !is_text(field) && !is_check(field))
            }
            // A skipped or done task is reopened in the same step, or has not changed.
            Stage::Waiting | Stage::Failed | Stage::Cancelled | Stage::Skipped | Stage::Done => {
                fields.iter().find(|field| matches!(field, PlanField::Phase))
            }
        };
        let (stage, late) = (task.stage, late.copied());
        task.plan.copy_fields(planned, fields);
        if let Some(late) = late {
            self.add_violation(
                Rule::PlanChange,
                format!("{:?} of {} changes, which is {stage:?}", late, planned.id),
            );
        }
    }
}
