//! The end of a simulated run: without faults, and with users who answer, it must end.

use domain::{
    BlockReason, EscalationLevel, EscalationSubject, EscalationType, OrchestrationMode, Role, SessionId,
    UserCommand,
};

use crate::{
    environment::ProcessState,
    model::{QuestionState, Session, SessionState, Task},
    rule::{Rule, RuleViolation},
    simulation::Simulation,
    user_commands,
};

/// Maximum number of commands until a run without faults must end.
const FAULTLESS_STEPS_MAX: u64 = 6_000;

/// Number of user commands without an event after which the run counts as stuck.
const IDLE_ROUNDS_MAX: u32 = 30;

impl Simulation {
    /// Runs without faults until the run has ended.
    pub(crate) fn complete_run(&mut self) -> Result<(), RuleViolation> {
        self.trace.add_note("from here on there are no faults");
        self.environment.stop_faults();
        let last = self.step + FAULTLESS_STEPS_MAX;
        let mut n_idle = 0;
        while !self.model.ended && !self.model.cancelled {
            if self.step > last {
                return Err(RuleViolation::new(Rule::RunCompletes, self.describe_unfinished()));
            }
            let has_event = self.process_next_event()?;
            if !has_event {
                self.environment.stop_faults();
            }
            if !has_event && let Some(main) = self.silent_main_agent() {
                self.environment.schedule_task_request(main);
            }
            if !has_event && self.lacks_main_agent() {
                return Ok(());
            }
            // Users act when nothing else is scheduled, and sometimes in between.
            if !has_event || self.step.is_multiple_of(5) {
                let before = self.log.len();
                self.send_user_commands()?;
                if !has_event && self.model.settings.mode == OrchestrationMode::Thin {
                    // A main agent that ended its turn asks for the next task after a message of a user.
                    let text = "continue".to_owned();
                    self.send_user_command("ana", UserCommand::Chat { text, talk_only: false })?;
                }
                n_idle = if has_event || self.log.len() > before { 0 } else { n_idle + 1 };
                if n_idle > IDLE_ROUNDS_MAX {
                    return Err(RuleViolation::new(Rule::WaitHasReason, self.describe_unfinished()));
                }
            }
        }
        self.check_effects_finish()?;
        self.check_replay_matches()
    }

    fn send_user_commands(&mut self) -> Result<(), RuleViolation> {
        for command in user_commands::continue_commands(&self.model) {
            self.send_user_command("ana", command)?;
        }
        if let Some(command) = user_commands::expected_command(&mut self.random, &self.model) {
            self.send_user_command("ana", command)?;
        }
        Ok(())
    }

    /// After the end, checks that all ordered effects end too.
    fn check_effects_finish(&mut self) -> Result<(), RuleViolation> {
        let last = self.step + FAULTLESS_STEPS_MAX;
        while self.step < last && self.environment.has_scheduled_events() && self.process_next_event()? {}
        let pending: Vec<_> = self
            .run
            .pending_effects()
            .into_iter()
            .filter(|(id, effect)| !self.environment.may_stay_unreported(*id, effect))
            .collect();
        match pending.first() {
            Some(effect) => Err(RuleViolation::new(Rule::EffectEnds, format!("{effect:?} is still pending"))),
            None => Ok(()),
        }
    }

    /// Tells whether a thin run waits for a user to start another main agent.
    fn lacks_main_agent(&self) -> bool {
        let is_running = self.model.sessions.iter().any(|(id, session)| {
            session.role == Role::Orchestrator
                && session.state != SessionState::Ended
                && self
                    .environment
                    .process_of_session(*id)
                    .is_some_and(|process| process.state != ProcessState::Ended)
        });
        self.model.settings.mode == OrchestrationMode::Thin && !is_running
    }

    /// Returns the main agent whose silence was reported to a person.
    fn silent_main_agent(&self) -> Option<SessionId> {
        let is_reported = self.model.escalations.values().any(|escalation| {
            let is_about_run =
                escalation.subject == EscalationSubject::Run && escalation.kind == EscalationType::Blocked;
            is_about_run && escalation.open && escalation.level == EscalationLevel::Person
        });
        let is_main =
            |session: &Session| session.role == Role::Orchestrator && session.state != SessionState::Ended;
        let mains = self.model.sessions.iter().filter(|(_, session)| is_main(session));
        mains
            .map(|(id, _)| *id)
            .next_back()
            .filter(|_| is_reported && self.model.settings.mode == OrchestrationMode::Thin)
    }

    /// Describes everything that has not ended.
    fn describe_unfinished(&self) -> String {
        self.list_unfinished().join("; ")
    }

    /// Adds everything that has not ended to the trace.
    pub(crate) fn trace_unfinished(&mut self) {
        for line in self.list_unfinished() {
            self.trace.add_note(&line);
        }
    }

    fn list_unfinished(&self) -> Vec<String> {
        let model = &self.model;
        let mut lines = Vec::new();
        for (id, task) in model.tasks.iter().filter(|(_, task)| !task.stage.has_ended()) {
            let engine = self.run.task_state(id);
            lines.push(format!("{id} {:?} {}, engine: {engine:?}", task.stage, self.task_details(task)));
        }
        for (id, question) in model.questions.iter().filter(|(_, question)| question.state.is_open()) {
            let with = if question.state == QuestionState::Person { "person" } else { "orchestrator" };
            lines.push(format!("{id} with the {with}"));
        }
        lines.extend(model.requests.iter().filter(|(_, request)| request.open).map(|(id, _)| id.to_string()));
        let escalated = model.escalations.iter().filter(|(_, escalation)| escalation.open);
        lines.extend(
            escalated.map(|(id, escalation)| format!("{id} {:?} at {:?}", escalation.kind, escalation.level)),
        );
        for (number, phase) in model.phases.iter().filter(|(_, phase)| !phase.gate.approved) {
            lines.push(format!("phase {number} {:?}", phase.gate));
        }
        lines.push(format!("deadline {:?}", self.run.next_deadline()));
        lines
    }

    fn task_details(&self, task: &Task) -> String {
        let unmet = self.model.unmet_dependencies(task);
        let gates = self.model.unapproved_phases_before(task);
        let session = task.session.and_then(|session| self.model.sessions.get(&session));
        let session_state = session.map(|session| session.state);
        let process = task.session.and_then(|session| self.environment.process_of_session(session));
        let process_state = process.map(|process| process.state);
        let reasons: Vec<&BlockReason> = task.reasons.iter().collect();
        format!(
            "slot {}, {reasons:?}, waits for {unmet:?} and gates {gates:?}, {:?} {session_state:?} {process_state:?}",
            task.slot, task.session
        )
    }
}
