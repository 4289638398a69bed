//! A plan that changes in the model: what is done or being done must stay as it is.

use domain::{OfferId, PlanField, PlannedPhase, PlannedTask};

use super::{Model, Phase, Stage};
use crate::rule::Rule;

impl Model {
    /// A change of the plan is taken or left: it must be the one that is offered.
    pub(super) fn settle_offer(&mut self, offer: OfferId) {
        if self.offer.take() != Some(offer) {
            self.breach(Rule::PlanChange, format!("{offer} is settled, and was not offered"));
        }
    }

    pub(super) fn join_phase(&mut self, planned: &PlannedPhase) {
        let phase =
            Phase { after: planned.after.clone(), verify: planned.verify.clone(), ..Phase::default() };
        if self.phases.insert(planned.number, phase).is_some() {
            self.breach(Rule::PlanChange, format!("phase {} is added again", planned.number));
        }
    }

    /// The plan says something else about a task: one that lives keeps all but its words and its judges.
    pub(super) fn change_plan(&mut self, said: &PlannedTask, fields: &[PlanField]) {
        let Some(task) = self.tasks.get_mut(&said.id) else {
            return self.breach(Rule::PlanChange, format!("{} changes and is no task", said.id));
        };
        let are_words =
            |field: &PlanField| matches!(field, PlanField::Title | PlanField::Text | PlanField::Acceptance);
        let are_judges = |field: &PlanField| matches!(field, PlanField::Verify | PlanField::Tester);
        let late = match task.stage {
            // What its judges then say of it is another rule's.
            Stage::Working | Stage::Checking | Stage::Merging => {
                fields.iter().find(|field| !are_words(field) && !are_judges(field))
            }
            // Whoever is left out or done comes back in the same step, or has not changed.
            Stage::Waiting | Stage::Failed | Stage::Cancelled | Stage::Skipped | Stage::Done => {
                fields.iter().find(|field| matches!(field, PlanField::Phase))
            }
        };
        let (stage, late) = (task.stage, late.copied());
        task.plan.copy_fields(said, fields);
        if let Some(late) = late {
            self.breach(Rule::PlanChange, format!("{:?} of {} changes, which is {stage:?}", late, said.id));
        }
    }
}
