//! The terminal of a session over a WebSocket: the current screen, then new output; accepts key presses.

use std::time::{Duration, Instant};

use axum::{
    extract::{
        State,
        ws::{Message, WebSocket, WebSocketUpgrade, rejection::WebSocketUpgradeRejection},
    },
    response::Response,
};
use domain::{RunId, SessionId};
use runtime::{Host, ScreenSnapshot, ScreenStream, ScreenUpdate, prepare::user_name};
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use crate::{
    api::Api,
    bodies::{TerminalClientMessage, TerminalServerMessage},
    extract::PathParams,
    problem::{ApiError, Problem},
    problem_code::ProblemCode,
};

/// Size limit of a message of the client: enough for a pasted page.
const MESSAGE_BYTES_MAX: usize = 128 << 10;
/// Messages that may wait for the client; more output stays in the spool.
const QUEUE_MAX: usize = 16;
/// How often the reader of a silent session checks whether the client is still connected.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Opens the terminal of a session as a WebSocket. Sends `snapshot`, then `output`, `resized` and `ended`; accepts `input`
/// and `resize`.
#[utoipa::path(
    get, path = "/api/runs/{run}/sessions/{session}/terminal",
    params(("run" = String, Path, description = "id of the run"), ("session" = String, Path, description = "id of the session")),
    responses(
        (status = SWITCHING_PROTOCOLS, description = "a WebSocket with JSON messages", body = TerminalServerMessage),
        (status = BAD_REQUEST, description = "the request is not a WebSocket upgrade", body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, description = "the session is not running", body = Problem, content_type = "application/problem+json"),
        (status = SERVICE_UNAVAILABLE, description = "too many terminals are open", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn open_terminal(
    State(api): State<Api>,
    PathParams((run, session)): PathParams<(RunId, SessionId)>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let permit = api.terminal_permit().ok_or_else(|| {
        let hint = "Close another terminal, then try again.";
        ApiError::new(ProblemCode::TooManyTerminals, "Too many terminals are open.", hint)
    })?;
    let run_id = run.clone();
    // An unknown session is reported before a missing upgrade.
    let screen = api.run_blocking(move |host| Ok(host.open_screen_stream(&run_id, session)?)).await?;
    let upgrade = upgrade.map_err(|error| {
        ApiError::new(ProblemCode::BadRequest, error.to_string(), "Open it as a WebSocket.")
    })?;
    let upgrade = upgrade.max_message_size(MESSAGE_BYTES_MAX).max_frame_size(MESSAGE_BYTES_MAX);
    Ok(upgrade.on_upgrade(move |socket| async move {
        let connection = TerminalConnection { api, run, session, _permit: permit };
        connection.run(screen, socket).await;
    }))
}

/// One client of a terminal.
struct TerminalConnection {
    api: Api,
    run: RunId,
    session: SessionId,
    _permit: OwnedSemaphorePermit,
}

impl TerminalConnection {
    async fn run(self, screen: ScreenStream, mut socket: WebSocket) {
        let (sender, mut messages) = mpsc::channel(QUEUE_MAX);
        tokio::task::spawn_blocking(move || forward_screen(screen, &sender));
        loop {
            let message = tokio::select! {
                () = self.api.wait_until_stopped() => break,
                message = messages.recv() => match message {
                    Some(message) => message,
                    None => break,
                },
                received = socket.recv() => match received {
                    Some(Ok(Message::Text(text))) => match self.handle(text.as_str()).await {
                        Ok(()) => continue,
                        Err(error) => TerminalServerMessage::Problem(*error.problem),
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

    async fn handle(&self, text: &str) -> Result<(), ApiError> {
        let message: TerminalClientMessage = serde_json::from_str(text).map_err(|error| {
            let hint =
                "Send {\"type\":\"input\",\"text\":…} or {\"type\":\"resize\",\"columns\":…,\"rows\":…}";
            ApiError::new(ProblemCode::BadRequest, format!("Invalid message: {error}."), hint)
        })?;
        let (run, session) = (self.run.clone(), self.session);
        self.api
            .run_blocking(move |host: &Host| {
                match message {
                    TerminalClientMessage::Input { text } => {
                        host.send_keys(&run, &user_name(), session, text.as_bytes())?
                    }
                    TerminalClientMessage::Resize { columns, rows } => {
                        host.resize_terminal(&run, session, columns, rows)?
                    }
                }
                Ok(())
            })
            .await
    }
}

/// Sends screen updates until the session ends or the client disconnects.
fn forward_screen(mut screen: ScreenStream, messages: &mpsc::Sender<TerminalServerMessage>) {
    while !messages.is_closed() {
        let update = match screen.next(Instant::now() + POLL_INTERVAL) {
            Ok(Some(update)) => update,
            Ok(None) => continue,
            // The screen cannot be read any more.
            Err(_) => return,
        };
        let is_end = update == ScreenUpdate::Ended;
        if messages.blocking_send(to_message(update)).is_err() || is_end {
            return;
        }
    }
}

fn to_message(update: ScreenUpdate) -> TerminalServerMessage {
    match update {
        ScreenUpdate::Snapshot(ScreenSnapshot { offset, columns, rows, text }) => {
            TerminalServerMessage::Snapshot { offset, columns, rows, text }
        }
        ScreenUpdate::Output { offset, text } => TerminalServerMessage::Output { offset, text },
        ScreenUpdate::Resized { columns, rows } => TerminalServerMessage::Resized { columns, rows },
        ScreenUpdate::Ended => TerminalServerMessage::Ended,
    }
}
