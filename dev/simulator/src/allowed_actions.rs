//! Checks that a run accepts exactly the actions that it lists as allowed, and that its updates list all changes.

use std::collections::BTreeMap;

use domain::{
    ActionUpdate, AgentName, InboxAction, InboxItem, PermissionScope, Priority, RunAction, RunInput,
    SessionAction, SessionId, TaskAction, TaskId, UserCommand,
};

use crate::{
    model::Model,
    rule::{Rule, RuleViolation},
    simulation::Simulation,
    user_commands::provided_resource,
};

/// The actions of every object, according to the updates so far.
#[derive(Default)]
pub(crate) struct ActionTable {
    run: Vec<RunAction>,
    tasks: BTreeMap<TaskId, Vec<TaskAction>>,
    sessions: BTreeMap<SessionId, Vec<SessionAction>>,
    inbox: BTreeMap<InboxItem, Vec<InboxAction>>,
}

impl ActionTable {
    pub(crate) fn apply(&mut self, update: &ActionUpdate) {
        if let Some(run) = &update.run {
            self.run.clone_from(run);
        }
        self.tasks.extend(update.tasks.iter().cloned());
        self.sessions.extend(update.sessions.iter().cloned());
        self.inbox.extend(update.inbox.iter().cloned());
    }
}

impl Simulation {
    /// Compares the actions that the updates gave each object with those that the run allows now.
    pub(crate) fn check_action_updates(&self) -> Result<(), RuleViolation> {
        let ActionTable { run, tasks, sessions, inbox } = &self.actions;
        compare("the run", Some(run), &self.run.run_actions())?;
        for task in self.model.tasks.keys() {
            compare(task, tasks.get(task), &self.run.task_actions(task))?;
        }
        for session in self.model.sessions.keys() {
            compare(session, sessions.get(session), &self.run.session_actions(*session))?;
        }
        for item in known_items(&self.model) {
            compare(item, inbox.get(&item), &self.run.inbox_actions(item))?;
        }
        Ok(())
    }

    /// Tries every action on the run, one of its tasks, one session and one item of each kind, each on a copy of the run. The objects
    /// change with the steps.
    pub(crate) fn check_allowed_actions(&self) -> Result<(), RuleViolation> {
        let allowed = self.run.run_actions();
        for action in RunAction::ALL {
            self.check_action(allowed.contains(&action), run_command(action))?;
        }
        if let (Some(task), Some(member)) = (self.pick(self.model.tasks.keys()), self.model.team.first()) {
            let allowed = self.run.task_actions(task);
            for action in TaskAction::ALL {
                self.check_action(allowed.contains(&action), task_command(task, &member.name, action))?;
            }
        }
        if let Some(session) = self.pick(self.model.sessions.keys()) {
            let is_listed = self.run.session_actions(*session).contains(&SessionAction::Stop);
            self.check_action(is_listed, UserCommand::StopSession(*session))?;
        }
        let items = known_items(&self.model);
        for kind in [
            |item: &InboxItem| matches!(item, InboxItem::Question(_)),
            |item: &InboxItem| matches!(item, InboxItem::Request(_)),
            |item: &InboxItem| matches!(item, InboxItem::Gate(_)),
            |item: &InboxItem| matches!(item, InboxItem::Escalation(_)),
            |item: &InboxItem| matches!(item, InboxItem::Plan(_)),
        ] {
            let of_kind: Vec<InboxItem> = items.iter().copied().filter(kind).collect();
            let Some(item) = self.pick(of_kind.into_iter()) else { continue };
            let allowed = self.run.inbox_actions(item);
            for (action, command) in inbox_commands(&self.model, item) {
                self.check_action(allowed.contains(&action), command)?;
            }
        }
        Ok(())
    }

    /// Picks another element with each step.
    fn pick<T>(&self, mut from: impl ExactSizeIterator<Item = T>) -> Option<T> {
        let n = u64::try_from(from.len()).unwrap_or(u64::MAX);
        let index = self.step.wrapping_add(self.seed).checked_rem(n)?;
        from.nth(usize::try_from(index).ok()?)
    }

    fn check_action(&self, is_listed: bool, command: UserCommand) -> Result<(), RuleViolation> {
        let input = RunInput::User { person: "ana".to_owned(), origin: None, command: command.clone() };
        let decided = self.run.clone().decide(self.environment.now(), input);
        if decided.is_ok() == is_listed {
            return Ok(());
        }
        let outcome = decided.map_or_else(|rejection| rejection.to_string(), |_| "accepted".to_owned());
        let how = format!("{command:?}: listed {is_listed}, but {outcome}");
        Err(RuleViolation::new(Rule::AllowedActions, how))
    }
}

fn compare<A: PartialEq + std::fmt::Debug>(
    object: impl std::fmt::Display,
    updated: Option<&Vec<A>>,
    allowed: &Vec<A>,
) -> Result<(), RuleViolation> {
    let updated = updated.map_or(&[][..], Vec::as_slice);
    if updated == allowed {
        return Ok(());
    }
    let how = format!("{object} allows {allowed:?}, but the updates said {updated:?}");
    Err(RuleViolation::new(Rule::ActionUpdates, how))
}

/// Returns the items that the run ever had, except former plan changes.
fn known_items(model: &Model) -> Vec<InboxItem> {
    let questions = model.questions.keys().copied().map(InboxItem::Question);
    let requests = model.requests.keys().copied().map(InboxItem::Request);
    let gates = model.phases.keys().copied().map(InboxItem::Gate);
    let escalations = model.escalations.keys().copied().map(InboxItem::Escalation);
    let offer = model.offer.map(InboxItem::Plan);
    questions.chain(requests).chain(gates).chain(escalations).chain(offer).collect()
}

fn task_command(task: &TaskId, agent: &AgentName, action: TaskAction) -> UserCommand {
    let task = task.clone();
    match action {
        TaskAction::Pause => UserCommand::PauseTask(task),
        TaskAction::Continue => UserCommand::ContinueTask(task),
        TaskAction::Retry => UserCommand::RetryTask { task, hint: None },
        TaskAction::SendMessage => UserCommand::SendMessage { task, text: "use tabs".to_owned() },
        TaskAction::Prioritize => UserCommand::PrioritizeTask { task, priority: Priority::High },
        TaskAction::Reassign => UserCommand::ReassignTask { task, agent: agent.clone() },
        TaskAction::CreateCheckpoint => UserCommand::CreateCheckpoint(task),
        TaskAction::Rewind => UserCommand::RewindTask { task, checkpoint: None },
        TaskAction::Skip => UserCommand::SkipTask(task),
        TaskAction::Cancel => UserCommand::CancelTask(task),
    }
}

fn run_command(action: RunAction) -> UserCommand {
    match action {
        RunAction::Pause => UserCommand::PauseRun,
        RunAction::Continue => UserCommand::ContinueRun,
        RunAction::Cancel => UserCommand::CancelRun,
        RunAction::Land => UserCommand::LandRun { all: false, into: None, squash: false },
        RunAction::Clean => UserCommand::CleanRun { refs: false },
    }
}

/// Returns every action on an item with its command.
fn inbox_commands(model: &Model, item: InboxItem) -> Vec<(InboxAction, UserCommand)> {
    match item {
        InboxItem::Question(id) => {
            let option = model.questions.get(&id).and_then(|question| question.options.first().cloned());
            let answer = UserCommand::Answer {
                question: Some(id),
                task: None,
                answer: option.unwrap_or_else(|| "yes".to_owned()),
                scope: PermissionScope::Once,
                pattern: None,
                reason: None,
            };
            let reply = UserCommand::RequestClarification { question: id, text: "why?".to_owned() };
            vec![(InboxAction::Answer, answer), (InboxAction::RequestClarification, reply)]
        }
        InboxItem::Request(request) => {
            let provided = model.requests.get(&request).map(|known| provided_resource(&known.asked, true));
            let provide = provided.map(|provided| UserCommand::Provide { request, provided });
            let mut commands = vec![
                (InboxAction::Refuse, UserCommand::Refuse { request, reason: "no".to_owned() }),
                (InboxAction::Skip, UserCommand::SkipRequest(request)),
            ];
            commands.extend(provide.map(|provide| (InboxAction::Provide, provide)));
            commands
        }
        InboxItem::Gate(phase) => {
            let reason = "it is not good".to_owned();
            vec![
                (InboxAction::Approve, UserCommand::ApproveGate { phase, note: None }),
                (InboxAction::Reject, UserCommand::RejectGate { phase, reason, tasks: Vec::new() }),
            ]
        }
        InboxItem::Escalation(escalation) => {
            let suggested = model.escalations.get(&escalation).map_or(&[][..], |known| &known.suggested);
            let resolve = |action: &domain::EscalationAction| {
                let command = UserCommand::Resolve { escalation, action: action.clone(), note: None };
                (InboxAction::Resolve(action.clone()), command)
            };
            suggested.iter().map(resolve).collect()
        }
        InboxItem::Invocation(_) => Vec::new(),
        InboxItem::Plan(offer) => vec![
            (InboxAction::ApplyPlanChange, UserCommand::ApplyPlanChange { offer }),
            (InboxAction::IgnorePlanChange, UserCommand::IgnorePlanChange { offer }),
        ],
    }
}
