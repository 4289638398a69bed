//! Runs a script from its first step to the exit status.

use std::{ffi::OsString, io, path::PathBuf, time::Duration};

use thiserror::Error;

use crate::{
    fork::{self, ProcessRole},
    protocol::{ClientEvent, ProtocolOptions, create_protocol},
    script::{ProtocolName, Script},
    script_runner::{ScriptRunner, StepFlow},
    session_store::SessionStore,
};

/// How the agent was started, so that it can start its own program again.
#[derive(Debug, Clone)]
pub struct AgentInvocation {
    /// Path of the program.
    pub program: PathBuf,
    /// Its arguments, including the path of the script.
    pub arguments: Vec<OsString>,
    /// Arguments after the script's path, which a real agent would receive.
    pub agent_arguments: Vec<String>,
}

/// A script could not be run to its end.
#[derive(Debug, Error)]
pub enum ScriptRunError {
    /// Reading or writing failed.
    #[error("cannot run the script: {0}")]
    Io(#[from] io::Error),
    /// An expected input did not arrive.
    #[error("the input that the script waits for did not arrive: {0}")]
    InputMissing(&'static str),
}

/// Runs a script and returns the exit status.
pub fn run_script(script: &Script, invocation: AgentInvocation) -> Result<u8, ScriptRunError> {
    let forked = match fork::process_role(script, &invocation)? {
        ProcessRole::Agent => None,
        ProcessRole::Forked(fork) => Some(fork),
        ProcessRole::Intermediate => return Ok(0),
    };
    let name = if forked.is_some() { ProtocolName::Plain } else { script.protocol };
    let options = ProtocolOptions {
        model: script.model.clone(),
        sessions: SessionStore { folder: script.sessions_folder.as_ref().map(PathBuf::from) },
        refusals: script.refusals.clone(),
        arguments: invocation.agent_arguments.clone(),
        imitates: script.imitates,
        screen: script.screen.clone(),
    };
    let (protocol, first_event) = create_protocol(name, options)?;
    let has_turns = protocol.has_turns();
    let mut runner = ScriptRunner::new(script, invocation, protocol);

    let steps = match forked {
        Some(fork) if fork.steps.is_empty() => {
            std::thread::sleep(Duration::from_secs(60));
            return Ok(0);
        }
        Some(fork) => &fork.steps,
        None => {
            let Some(resumed) = runner.wait_for_session(first_event)? else {
                return Ok(runner.input_end_status());
            };
            script.resumed.as_ref().filter(|_| resumed).unwrap_or(&script.steps)
        }
    };
    match runner.run_steps(steps)? {
        StepFlow::Exit(status) => Ok(status),
        StepFlow::InputEnded if has_turns => Ok(runner.input_end_status()),
        StepFlow::InputEnded => Err(ScriptRunError::InputMissing("the input was closed")),
        StepFlow::Next | StepFlow::Cancelled if has_turns => {
            runner.serve_until_input_ends()?;
            Ok(runner.input_end_status())
        }
        StepFlow::Next | StepFlow::Cancelled => Ok(0),
    }
}

impl ScriptRunner<'_> {
    /// Waits until a session is open; returns whether it was resumed, or `None` if the input was closed first.
    fn wait_for_session(&mut self, first_event: ClientEvent) -> Result<Option<bool>, ScriptRunError> {
        let mut event = first_event;
        loop {
            match event {
                ClientEvent::SessionOpened { resumed } => return Ok(Some(resumed)),
                ClientEvent::Rejected => return Ok(None),
                ClientEvent::Ignored
                | ClientEvent::Prompt(_)
                | ClientEvent::Answer(_)
                | ClientEvent::Cancel => {}
            }
            match self.next_event(None)? {
                Some(next) => event = next,
                None => return Ok(None),
            }
        }
    }
}
