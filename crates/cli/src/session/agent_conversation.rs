//! A conversation with an agent in its session: sends it lines from this terminal and prints its output.
//!
//! This process runs the driver. If it is killed, the next one continues from the files of the session.

use std::{
    io::{self, BufRead, IsTerminal, Read},
    os::unix::net::UnixStream,
    process::ExitCode,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
    time::{Duration, Instant},
};

use domain::{PlanTaskIds, Role};
use drivers::{
    AgentConfinement, AgentInput, DriverCheckpoint, DriverContext, DriverEvent, DriverSetup, SendError,
    TurnOutcome, set_up_driver,
};
use sessions::{
    InputQueue, InputRecord, RefusedInput, SendPolicy, Session, SessionEntry, SessionError, SessionReport,
    Waker,
};

use super::{conversation_printer::ConversationPrinter, pending_prompts::PendingPrompts, session_failure};
use crate::{failure::Failure, localized::localized};

/// Bound of the lines that are not sent yet.
const EVENTS_MAX: usize = 64;
/// After this time a notice explains why nothing happens.
const NOTICE_AFTER: Duration = Duration::from_secs(2);

enum TerminalEvent {
    Line(String),
    EndOfInput,
    Interrupt,
}

/// Runs the conversation until the user leaves or the session ends.
pub(crate) fn attach(entry: &SessionEntry) -> Result<ExitCode, Failure> {
    let mut conversation = Conversation::open(entry, OutputMode::Shown)?;
    let events = read_terminal(&conversation.session.waker()).map_err(|error| Failure {
        what: localized(
            format!("Cannot read from this terminal ({error})."),
            format!("이 터미널에서 입력을 읽을 수 없습니다({error})."),
        ),
        hint: None,
        exit: 1,
    })?;
    if io::stdin().is_terminal() {
        eprintln!(
            "{}",
            localized(
                format!("Attached to {}. Ctrl-C interrupts its turn, Ctrl-D detaches.", entry.name),
                format!("{} 세션에 연결했습니다. Ctrl-C: 응답 중단, Ctrl-D: 연결 끊기", entry.name)
            )
        );
    }
    conversation.run(&events)
}

/// Sends an agent one input; with `wait`, prints its turn until it ends.
pub(crate) fn send_input(entry: &SessionEntry, text: &str, wait: bool) -> Result<ExitCode, Failure> {
    let mut conversation = Conversation::open(entry, OutputMode::Quiet)?;
    conversation.catch_up()?;
    let input = conversation.pending.parse_reply(text).map_err(|hint| Failure {
        what: localized(
            format!("'{text}' does not answer the open prompt of {}.", entry.name),
            format!("'{text}': 세션 {}의 요청에 대한 답이 아닙니다.", entry.name),
        ),
        hint: Some(hint),
        exit: 1,
    })?;
    if wait {
        conversation.output = OutputMode::Shown;
    }
    let number = conversation.add_input(input)?;
    conversation.wait_until_input_written(number)?;
    if wait { conversation.wait_for_turn_end() } else { Ok(ExitCode::SUCCESS) }
}

/// Returns the driver of a session's agent; `None` if the session has none.
pub(crate) fn set_up_session_driver(
    entry: &SessionEntry,
    checkpoint: DriverCheckpoint,
) -> Option<DriverSetup> {
    let agent = entry.metadata.agent.as_deref()?;
    let context = DriverContext {
        launch: agent.launch_mode(),
        directory: &entry.metadata.directory,
        key: &entry.metadata.key,
        role: Role::Worker,
        task_ids: PlanTaskIds::default(),
        checkpoint: Some(checkpoint),
        confinement: AgentConfinement { is_sandboxed: entry.metadata.is_sandboxed(), must_ask: true },
    };
    Some(set_up_driver(&agent.preset, &context))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OutputMode {
    Shown,
    Quiet,
}

struct Conversation<'a> {
    entry: &'a SessionEntry,
    session: Session,
    inputs: InputQueue<AgentInput>,
    record: InputRecord,
    pending: PendingPrompts,
    printer: ConversationPrinter<anstream::AutoStream<io::Stdout>>,
    output: OutputMode,
    written_inputs: Vec<u32>,
    outcome: Option<TurnOutcome>,
    end: Option<SessionReport>,
}

impl<'a> Conversation<'a> {
    /// Continues the conversation where the last process left it.
    fn open(entry: &'a SessionEntry, output: OutputMode) -> Result<Self, Failure> {
        if entry.metadata.agent.as_ref().is_some_and(|agent| agent.is_owned_by_run) {
            let what = localized(
                format!("Session '{}' belongs to a run.", entry.name),
                format!("실행에 속한 세션입니다: '{}'", entry.name),
            );
            let hint = localized(
                "Answer its questions in the run, or follow its output: jangdan session log --follow",
                "질문에는 실행에서 답하세요. 출력 보기: jangdan session log --follow",
            );
            return Err(Failure { what, hint: Some(format!("{hint} {}", entry.name)), exit: 1 });
        }
        let checkpoint = InputRecord::read(&entry.directory).map_err(session_failure)?.progress.checkpoint;
        let driver = set_up_session_driver(entry, checkpoint).ok_or_else(|| Failure {
            what: localized(
                format!("Session '{}' has no agent to send messages to.", entry.name),
                format!("메시지를 보낼 에이전트가 없는 세션입니다: '{}'", entry.name),
            ),
            hint: None,
            exit: 1,
        })?;
        let (session, reports) = Session::open(&entry.directory, driver).map_err(session_failure)?;
        // Another process may have added inputs before this one opened the session.
        let record = InputRecord::read(&entry.directory).map_err(session_failure)?;
        let mut conversation = Self {
            entry,
            session,
            inputs: InputQueue::new(SendPolicy::OnePromptPerTurn, record.progress.idle_after),
            record,
            pending: PendingPrompts::default(),
            printer: ConversationPrinter::new(anstream::stdout()),
            output,
            written_inputs: Vec::new(),
            outcome: None,
            end: None,
        };
        conversation.handle_reports(reports)?;
        for (number, input) in conversation.record.unfinished_inputs().cloned().collect::<Vec<_>>() {
            conversation.inputs.push(number, input).map_err(session_failure)?;
        }
        conversation.send_ready_inputs()?;
        Ok(conversation)
    }

    fn run(&mut self, events: &Receiver<TerminalEvent>) -> Result<ExitCode, Failure> {
        let mut is_leaving = false;
        while self.end.is_none() {
            while let Ok(event) = events.try_recv() {
                match event {
                    TerminalEvent::Line(line) if line.trim().is_empty() => {}
                    TerminalEvent::Line(line) => match self.pending.parse_reply(&line) {
                        Ok(input) => {
                            self.add_input(input)?;
                        }
                        Err(hint) => {
                            self.print_unless_quiet(|printer| printer.print_note(&format!("── {hint}")))?
                        }
                    },
                    TerminalEvent::Interrupt if self.is_busy() => {
                        self.add_input(AgentInput::Interrupt)?;
                    }
                    TerminalEvent::EndOfInput | TerminalEvent::Interrupt => is_leaving = true,
                }
            }
            // Piped lines are still answered; a user at a terminal leaves at once.
            if is_leaving && (io::stdin().is_terminal() || !self.is_busy() || self.pending.is_open()) {
                eprintln!(
                    "{}",
                    localized(
                        format!("Detached from {}; it keeps running.", self.entry.name),
                        format!("{} 세션과 연결을 끊었습니다. 세션은 계속 실행됩니다.", self.entry.name)
                    )
                );
                break;
            }
            self.wait_for_reports(None)?;
        }
        Ok(self.exit_code())
    }

    /// Records an input and sends it, now or as soon as the agent accepts it.
    fn add_input(&mut self, input: AgentInput) -> Result<u32, Failure> {
        let number = self.record.next_number();
        self.inputs.push(number, input.clone()).map_err(session_failure)?;
        self.record.add(number, input).map_err(session_failure)?;
        self.send_ready_inputs()?;
        Ok(number)
    }

    /// Sends the inputs that can be sent now.
    fn send_ready_inputs(&mut self) -> Result<(), Failure> {
        loop {
            let sent = self.inputs.send_next(&mut self.session, |_, input, refused| match refused {
                None => Ok(Some(input.clone())),
                Some(RefusedInput { reason: SendError::UnknownPrompt { .. }, .. }) => Ok(None),
                Some(RefusedInput { reason, .. }) => Err(SessionError::Refused(reason)),
            });
            let Some(sent) = sent.map_err(session_failure)? else { return Ok(()) };
            self.handle_reports(sent.reports)?;
        }
    }

    /// Waits for a report or the deadline, and sends the inputs that can be sent then. Returns whether there was a report.
    fn wait_for_reports(&mut self, deadline: Option<Instant>) -> Result<bool, Failure> {
        let reports = self.session.next_reports(deadline).map_err(session_failure)?;
        let has_report = !reports.is_empty();
        self.handle_reports(reports)?;
        self.send_ready_inputs()?;
        Ok(has_report)
    }

    /// Returns whether a turn is running or about to start.
    fn is_busy(&self) -> bool {
        self.inputs.is_in_turn() || !self.inputs.is_empty()
    }

    /// Handles the reports that exist already.
    fn catch_up(&mut self) -> Result<(), Failure> {
        while self.wait_for_reports(Some(Instant::now()))? {}
        Ok(())
    }

    fn wait_until_input_written(&mut self, number: u32) -> Result<(), Failure> {
        let mut notice = Some(Instant::now() + NOTICE_AFTER);
        while !self.written_inputs.contains(&number) {
            if let Some(end) = &self.end {
                let (name, end) = (&self.entry.name, describe_end(end));
                let what = localized(
                    format!("{name} ended before it received the message ({end})."),
                    format!("메시지를 받기 전에 {name} 세션이 끝났습니다({end})."),
                );
                let hint = Some(localized(
                    format!("Show its output: jangdan session log {}", self.entry.name),
                    format!("출력 보기: jangdan session log {}", self.entry.name),
                ));
                return Err(Failure { what, hint, exit: 1 });
            }
            if let Some(outcome) = self.outcome.take().filter(|outcome| *outcome != TurnOutcome::Finished) {
                return Err(failure_from_outcome(self.entry, &outcome));
            }
            self.wait_for_reports(notice)?;
            if notice.is_some_and(|notice| Instant::now() >= notice) {
                notice = None;
                let name = &self.entry.name;
                eprintln!(
                    "{}",
                    localized(
                        format!("{name} is busy; the message is sent when its turn ends."),
                        format!("{name} 세션이 응답 중입니다. 응답이 끝나면 메시지를 보냅니다."),
                    )
                );
            }
        }
        Ok(())
    }

    /// Waits until the turn ends or a prompt needs an answer.
    fn wait_for_turn_end(&mut self) -> Result<ExitCode, Failure> {
        while self.end.is_none() && self.is_busy() && !self.pending.is_open() {
            self.wait_for_reports(None)?;
        }
        if self.pending.is_open() {
            eprintln!(
                "{}",
                localized(
                    format!("Waiting for your answer: jangdan session say {} ANSWER", self.entry.name),
                    format!("답변이 필요합니다: jangdan session say {} ANSWER", self.entry.name)
                )
            );
        }
        Ok(self.exit_code())
    }

    fn handle_reports(&mut self, reports: Vec<SessionReport>) -> Result<(), Failure> {
        for report in reports {
            self.pending.apply(&report);
            self.print_unless_quiet(|printer| printer.print_report(&report))?;
            if let SessionReport::Event(event) = &report {
                self.record.update_progress(event, self.inputs.last_prompt()).map_err(session_failure)?;
            }
            match report {
                SessionReport::InputWritten { number } => self.written_inputs.push(number),
                SessionReport::Event(DriverEvent::TurnEnded { outcome, .. }) => {
                    self.inputs.end_turn();
                    self.outcome = Some(outcome);
                    if let Some(question) = self.pending.turn_end_question().cloned() {
                        self.print_unless_quiet(|printer| printer.print_question(&question))?;
                    }
                }
                SessionReport::Event(_) => {}
                SessionReport::Ended(_) | SessionReport::Lost => self.end = Some(report),
            }
        }
        Ok(())
    }

    fn print_unless_quiet(
        &mut self,
        print: impl FnOnce(&mut ConversationPrinter<anstream::AutoStream<io::Stdout>>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        if self.output == OutputMode::Quiet {
            return Ok(());
        }
        match print(&mut self.printer) {
            Ok(()) => Ok(()),
            Err(error) => Failure::from_output_error(&error).map_or(Ok(()), Err),
        }
    }

    fn exit_code(&self) -> ExitCode {
        match self.outcome {
            None | Some(TurnOutcome::Finished | TurnOutcome::Cancelled) => ExitCode::SUCCESS,
            Some(_) => ExitCode::FAILURE,
        }
    }
}

/// Reads lines and Ctrl-C on threads that end with this process.
fn read_terminal(waker: &Waker) -> io::Result<Receiver<TerminalEvent>> {
    let (sender, receiver) = sync_channel(EVENTS_MAX);
    let (mut caught, signal) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(signal_hook::consts::SIGINT, signal)?;
    let (interrupts, on_interrupt) = (sender.clone(), waker.clone());
    thread::spawn(move || {
        while caught.read_exact(&mut [0]).is_ok()
            && send_event(&interrupts, &on_interrupt, TerminalEvent::Interrupt)
        {}
    });
    let waker = waker.clone();
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if !send_event(&sender, &waker, TerminalEvent::Line(line)) {
                return;
            }
        }
        send_event(&sender, &waker, TerminalEvent::EndOfInput);
    });
    Ok(receiver)
}

fn send_event(sender: &SyncSender<TerminalEvent>, waker: &Waker, event: TerminalEvent) -> bool {
    let is_sent = sender.send(event).is_ok();
    waker.wake();
    is_sent
}

fn describe_end(end: &SessionReport) -> String {
    match end {
        SessionReport::Ended(exit) => match (exit.code, exit.signal) {
            (Some(code), _) => localized(format!("exit status {code}"), format!("종료 코드 {code}")),
            (None, Some(signal)) => localized(format!("signal {signal}"), format!("시그널 {signal}")),
            (None, None) => localized("unknown exit status", "종료 코드 알 수 없음"),
        },
        SessionReport::Lost | SessionReport::Event(_) | SessionReport::InputWritten { .. } => {
            localized("its holder was killed", "홀더 프로세스가 강제 종료됨")
        }
    }
}

fn failure_from_outcome(entry: &SessionEntry, outcome: &TurnOutcome) -> Failure {
    let (agent, name) = (entry.metadata.agent.as_ref(), &entry.name);
    let (what, hint) = match outcome {
        TurnOutcome::Unauthorized { message } => {
            let login = agent.and_then(|agent| agent.preset.login.as_ref());
            let how = login
                .map(|login| localized(format!("Sign in: {}", login.how), format!("로그인: {}", login.how)));
            let what = localized(
                format!("{name} is not signed in: {message}"),
                format!("{name} 에이전트에 로그인되어 있지 않습니다: {message}"),
            );
            (what, how)
        }
        TurnOutcome::NotResumable { message } => {
            let hint = localized("Start a new one without --resume.", "--resume 옵션 없이 새로 시작하세요.");
            (
                localized(
                    format!("The session cannot be resumed: {message}"),
                    format!("세션을 재개할 수 없습니다: {message}"),
                ),
                Some(hint),
            )
        }
        TurnOutcome::Limited { message, .. } => (
            localized(
                format!("{name} is rate-limited: {message}"),
                format!("{name} 에이전트의 사용량 한도에 도달했습니다: {message}"),
            ),
            None,
        ),
        TurnOutcome::Failed { message } => {
            let failed = localized(
                format!("{name} failed: {message}"),
                format!("{name} 에이전트의 응답이 실패했습니다: {message}"),
            );
            (failed, None)
        }
        TurnOutcome::Finished | TurnOutcome::Cancelled => (
            localized(
                format!("The turn of {} was interrupted.", entry.name),
                format!("{} 에이전트의 응답이 중단되었습니다.", entry.name),
            ),
            None,
        ),
    };
    Failure { what, hint, exit: 1 }
}
