//! Refuses callers that belong to a session: an agent cannot act as the user, whatever token it has.

use axum::{
    extract::Request,
    http::{Method, header::UPGRADE},
};
use runtime::{CallerOrigin, Host};

use super::peer::ConnectionPeer;
use crate::{Api, problem::ApiError, problem_code::ProblemCode};

const SESSION_HINT: &str = "In a session, use jangdan say; as the user, use a terminal outside of it.";

/// The parts of a request by which its caller is checked. Its body cannot be shared between threads.
pub(super) struct CallerCheck {
    peer: Option<ConnectionPeer>,
    is_change: bool,
    /// Method and path.
    request: String,
}

impl CallerCheck {
    pub(super) fn new(request: &Request) -> Self {
        Self {
            peer: request.extensions().get().cloned(),
            is_change: is_change(request),
            request: format!("{} {}", request.method(), request.uri().path()),
        }
    }

    /// Refuses requests of sessions, and changes by processes at a Unix socket that cannot be identified.
    pub(super) async fn refuse_sessions(&self, api: &Api) -> Result<(), ApiError> {
        let Some(peer) = &self.peer else { return Err(unknown_caller_error()) };
        match peer.origin(api).await {
            CallerOrigin::Outside => Ok(()),
            CallerOrigin::Session { name } => {
                if self.is_change {
                    let (process, request) = (name.clone(), self.request.clone());
                    let report = move |host: &Host| {
                        host.report_user_act(&process, request);
                        Ok(())
                    };
                    api.run_blocking(report).await?;
                }
                let detail = format!("The caller belongs to session {name}, which cannot act as the user.");
                Err(ApiError::new(ProblemCode::CallerInSession, detail, SESSION_HINT))
            }
            // Over a port it may be a browser behind a proxy or `ssh -L`: its token counts.
            CallerOrigin::Unknown if !peer.is_process() || !self.is_change => Ok(()),
            CallerOrigin::Unknown => Err(unknown_caller_error()),
        }
    }

    /// Marks the connection as one with a valid credential.
    pub(super) fn grant_access(&self) {
        if let Some(peer) = &self.peer {
            peer.grant_access();
        }
    }
}

/// Returns whether a request may change something. A WebSocket accepts keys.
pub(super) fn is_change(request: &Request) -> bool {
    !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS)
        || request.headers().contains_key(UPGRADE)
}

fn unknown_caller_error() -> ApiError {
    let detail = "The calling process cannot be identified.";
    ApiError::new(
        ProblemCode::UnknownCaller,
        detail,
        "Call from a process that runs on this machine until it gets its response.",
    )
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use runtime::Host;
    use tempfile::TempDir;

    use super::{super::peer::PeerAddress, *};

    #[tokio::test(flavor = "multi_thread")]
    async fn a_process_that_cannot_be_identified_may_only_read() {
        let folder = TempDir::new().unwrap();
        let api = Api::open(Host::open(folder.path()).unwrap()).unwrap();
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let check = async |method: Method, upgrade: Option<&str>, pid: Option<u32>| {
            let mut request = Request::builder().method(method).uri("/api/runs");
            if let Some(upgrade) = upgrade {
                request = request.header(UPGRADE, upgrade);
            }
            let mut request = request.body(Body::empty()).unwrap();
            request.extensions_mut().insert(ConnectionPeer::new(PeerAddress::Process(pid)));
            CallerCheck::new(&request).refuse_sessions(&api).await.is_ok()
        };
        for pid in [Some(ended.id()), None] {
            assert!(check(Method::GET, None, pid).await);
            assert!(!check(Method::POST, None, pid).await, "{pid:?}");
            assert!(!check(Method::GET, Some("websocket"), pid).await, "{pid:?}");
        }
        assert!(check(Method::POST, None, Some(std::process::id())).await);
    }
}
