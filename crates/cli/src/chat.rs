//! `jangdan chat TEXT`: sends a message to the orchestrator and waits for the reply, or answers the only open question.

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::Args;
use domain::{Locale, UserCommand};
use serde::Deserialize;
use serde_json::Value;
use server::LiveEvent;
use views::{ChatAuthor, ChatRow, RowKind, TimelineRow};

use crate::{
    arguments::RunArguments,
    failure::{Failure, print_hint},
    localized::localized,
    printable::{printable_json, printable_line},
    remote,
    run_command::{RunTarget, send_run_command},
    watch::event_stream::EventStream,
};

/// How long the command waits for a reply. An orchestrator that is busy replies at the end of its turn.
const REPLY_TIMEOUT: Duration = Duration::from_secs(120);
/// How long one wait for an event lasts.
const POLL_TIMEOUT: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Text of the message
    #[arg(required = true)]
    text: Vec<String>,
    /// Do not wait for the reply
    #[arg(long)]
    no_wait: bool,
    #[command(flatten)]
    run: RunArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let text = arguments.text.join(" ");
    let command = UserCommand::Chat { text: text.clone(), talk_only: false };
    let sent = localized("message sent", "메시지를 보냈습니다");
    if arguments.no_wait {
        return send_run_command(&arguments.run, &command, &sent);
    }
    let target = RunTarget::find(&arguments.run.common, arguments.run.run_name())?;
    let client =
        target.source.client().ok_or_else(|| remote::no_server_failure(target.source.data_directory()))?;
    let rows = client.rows(&target.run.id, &[RowKind::Run]);
    let before = rows.map_err(|error| remote::client_failure(&error))?.position();
    let mut events = EventStream::open(client, &target.run.id, before)?;
    target.send_command(&command, &sent)?;
    match wait_for_reply(&mut events, &text)? {
        ChatOutcome::Reply(reply) if arguments.run.common.json => {
            println!("{}", printable_json(&reply).unwrap_or_default());
        }
        ChatOutcome::Reply(reply) => {
            reply.text().lines().for_each(|line| println!("{}", printable_line(line)))
        }
        ChatOutcome::AnswersQuestion => {}
        ChatOutcome::NoReply => print_hint(&localized(
            format!("No reply yet. It appears here: jangdan watch {}", target.run.id),
            format!("아직 답이 없습니다. 답은 여기에 표시됩니다: jangdan watch {}", target.run.id),
        )),
    }
    Ok(ExitCode::SUCCESS)
}

/// The outcome of a message.
enum ChatOutcome {
    Reply(ChatReply),
    /// The message answered a question: there is no reply.
    AnswersQuestion,
    NoReply,
}

/// A reply, with its text in both languages if Jangdan wrote it.
#[derive(Debug, serde::Serialize)]
struct ChatReply {
    reply: String,
    #[serde(skip)]
    korean: Option<String>,
}

impl ChatReply {
    fn text(&self) -> &str {
        match (remote::environment_locale(), &self.korean) {
            (Locale::Ko, Some(korean)) => korean,
            (Locale::Ko, None) | (Locale::En, _) => &self.reply,
        }
    }
}

fn wait_for_reply(events: &mut EventStream<'_>, sent: &str) -> Result<ChatOutcome, Failure> {
    let deadline = Instant::now() + REPLY_TIMEOUT;
    let mut is_sent = false;
    while Instant::now() < deadline {
        let Some(LiveEvent::Changed(changed)) = events.wait(POLL_TIMEOUT)? else {
            events.is_disconnected()?;
            continue;
        };
        let Some(row) = changed.row.as_ref() else { continue };
        if changed.kind == RowKind::Timeline.name() {
            if let Some(reply) = automatic_reply(row).filter(|_| is_sent) {
                return Ok(ChatOutcome::Reply(reply));
            }
        } else if changed.kind == RowKind::Chat.name()
            && let Ok(row) = ChatRow::deserialize(row)
        {
            match row.author {
                ChatAuthor::Person if row.text == sent && row.question.is_some() => {
                    return Ok(ChatOutcome::AnswersQuestion);
                }
                ChatAuthor::Person => is_sent |= row.text == sent,
                ChatAuthor::Orchestrator if is_sent && !row.is_card => {
                    return Ok(ChatOutcome::Reply(ChatReply { reply: row.text, korean: row.korean }));
                }
                ChatAuthor::Orchestrator | ChatAuthor::System => {}
            }
        }
    }
    Ok(ChatOutcome::NoReply)
}

/// Returns the reply of Jangdan, if there is no orchestrator agent.
fn automatic_reply(row: &Value) -> Option<ChatReply> {
    let row = TimelineRow::deserialize(row).ok()?;
    (row.kind == "ChatAnsweredWithStatus").then_some(ChatReply { reply: row.text, korean: row.korean })
}
