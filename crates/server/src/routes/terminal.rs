//! A session's terminal over a WebSocket: the screen as it is, then what is written, and keys for it.

use std::time::{Duration, Instant};

use axum::{
    extract::{
        State,
        ws::{Message, WebSocket, WebSocketUpgrade, rejection::WebSocketUpgradeRejection},
    },
    response::Response,
};
use domain::{RunId, SessionId};
use runtime::{Host, ScreenSnapshot, ScreenStream, ScreenUpdate};
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use crate::{
    api::Api,
    bodies::{TerminalClientMessage, TerminalServerMessage},
    code::Code,
    problem::{Failure, Problem},
    request::Named,
};

/// How large a word of the other side's can be: a pasted page.
const WISH_BYTES_MAX: usize = 128 << 10;
/// How much may be written that the other side has not taken; the rest waits in the spool.
const TOLD_MAX: usize = 16;
/// How long one look at a silent session lasts; then it is seen whether somebody still looks.
const LOOK: Duration = Duration::from_millis(500);

/// A session's terminal. Over a WebSocket: `snapshot`, then `output`, `resized` and `ended`; it takes `input` and `resize`.
#[utoipa::path(
    get, path = "/api/runs/{run}/sessions/{session}/terminal",
    params(("run" = String, Path, description = "the run"), ("session" = String, Path, description = "the session")),
    responses(
        (status = SWITCHING_PROTOCOLS, description = "a WebSocket of JSON texts", body = TerminalServerMessage),
        (status = BAD_REQUEST, description = "it is no WebSocket", body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "it has no process", body = Problem, content_type = "application/problem+json"),
        (status = SERVICE_UNAVAILABLE, description = "too many look", body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn terminal(
    State(api): State<Api>,
    Named((run, session)): Named<(RunId, SessionId)>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Failure> {
    let place = api.terminal_place().ok_or_else(|| {
        let hint = "close another terminal, then try again";
        Failure::new(Code::TooManyTerminals, "too many terminals are open already", hint)
    })?;
    let name = run.clone();
    // Whether there is such a session is said before what is no WebSocket.
    let screen = api.ask(move |host| Ok(host.screen(&name, session)?)).await?;
    let upgrade = upgrade
        .map_err(|error| Failure::new(Code::BadRequest, error.to_string(), "open it as a WebSocket"))?;
    let upgrade = upgrade.max_message_size(WISH_BYTES_MAX).max_frame_size(WISH_BYTES_MAX);
    Ok(upgrade.on_upgrade(move |socket| async move {
        let looking = Looking { api, run, session, _place: place };
        looking.look(screen, socket).await;
    }))
}

/// Somebody who looks at a terminal.
struct Looking {
    api: Api,
    run: RunId,
    session: SessionId,
    _place: OwnedSemaphorePermit,
}

impl Looking {
    async fn look(self, screen: ScreenStream, mut socket: WebSocket) {
        let (sender, mut told) = mpsc::channel(TOLD_MAX);
        tokio::task::spawn_blocking(move || follow(screen, &sender));
        loop {
            let message = tokio::select! {
                () = self.api.over() => break,
                shown = told.recv() => match shown {
                    Some(shown) => shown,
                    None => break,
                },
                wish = socket.recv() => match wish {
                    Some(Ok(Message::Text(text))) => match self.wish(text.as_str()).await {
                        Ok(()) => continue,
                        Err(failure) => TerminalServerMessage::Problem(*failure.problem),
                    },
                    Some(Ok(Message::Binary(_) | Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                },
            };
            let text = serde_json::to_string(&message).unwrap_or_default();
            if socket.send(Message::Text(text.into())).await.is_err() {
                break;
            }
        }
    }

    async fn wish(&self, text: &str) -> Result<(), Failure> {
        let wish: TerminalClientMessage = serde_json::from_str(text).map_err(|error| {
            let hint =
                "send {\"type\":\"input\",\"text\":…} or {\"type\":\"resize\",\"columns\":…,\"rows\":…}";
            Failure::new(Code::BadRequest, format!("it can't be understood: {error}"), hint)
        })?;
        let (run, session) = (self.run.clone(), self.session);
        self.api
            .ask(move |host: &Host| {
                match wish {
                    TerminalClientMessage::Input { text } => {
                        host.send_keys(&run, session, text.as_bytes())?
                    }
                    TerminalClientMessage::Resize { columns, rows } => {
                        host.resize(&run, session, columns, rows)?
                    }
                }
                Ok(())
            })
            .await
    }
}

/// Tells what is seen until the session ends or nobody looks any more.
fn follow(mut screen: ScreenStream, told: &mpsc::Sender<TerminalServerMessage>) {
    while !told.is_closed() {
        let shown = match screen.next(Instant::now() + LOOK) {
            Ok(Some(shown)) => shown,
            Ok(None) => continue,
            // What can't be read any more is the end of it.
            Err(_) => return,
        };
        let is_end = shown == ScreenUpdate::Ended;
        if told.blocking_send(in_words(shown)).is_err() || is_end {
            return;
        }
    }
}

fn in_words(shown: ScreenUpdate) -> TerminalServerMessage {
    match shown {
        ScreenUpdate::Snapshot(ScreenSnapshot { offset, columns, rows, text }) => {
            TerminalServerMessage::Snapshot { offset, columns, rows, text }
        }
        ScreenUpdate::Output { offset, text } => TerminalServerMessage::Output { offset, text },
        ScreenUpdate::Resized { columns, rows } => TerminalServerMessage::Resized { columns, rows },
        ScreenUpdate::Ended => TerminalServerMessage::Ended,
    }
}
