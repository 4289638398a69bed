//! Idempotency keys: a client that gets no response repeats its request with the same key, and it is executed once.
//!
//! The responses to the last [`KEYS_MAX`] keys are kept in memory. A repetition of a request in progress waits for its
//! response.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    extract::{Request, State},
    http::{HeaderValue, Method, StatusCode, header::CONTENT_TYPE},
    middleware::Next,
    response::{IntoResponse, Response},
};
use http_body_util::{BodyExt, Limited};
use sha2::{Digest, Sha256};
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};

use crate::{
    access::Credential,
    extract::{PLAN_BYTES_MAX, read_body},
    problem::ApiError,
    problem_code::ProblemCode,
};

const KEY_HEADER: &str = "idempotency-key";
/// Marks a response that was stored.
const REPLAYED_HEADER: &str = "idempotency-replayed";
const KEY_BYTES_MAX: usize = 200;
const KEYS_MAX: usize = 1000;
/// Size limit of a stored response.
const RESPONSE_BYTES_MAX: usize = 64 << 10;
/// Time that a repetition waits for the first request. Merging a large run takes longer.
const WAIT_MAX: Duration = Duration::from_secs(20);

type Fingerprint = [u8; 32];

/// The keys in use and their responses.
#[derive(Default)]
pub(crate) struct IdempotencyKeys {
    table: Mutex<KeyTable>,
}

// Invariant: a key whose request is in progress is never removed, or the request could be executed twice.
#[derive(Default)]
struct KeyTable {
    by_key: HashMap<String, (Fingerprint, KeyState)>,
    /// Completed keys, the oldest first.
    completed: VecDeque<String>,
}

enum KeyState {
    /// The channel carries no values and closes when the request ends.
    InProgress(watch::Receiver<()>),
    Completed(StoredResponse),
}

#[derive(Clone)]
struct StoredResponse {
    status: StatusCode,
    content_type: Option<HeaderValue>,
    body: Bytes,
}

/// The result of looking up a key.
enum KeyLookup {
    New(KeyReservation),
    Completed(StoredResponse),
    InProgress(watch::Receiver<()>),
    KeyReused,
}

/// The right to execute the request of a key. Dropped without a response, it releases the key.
struct KeyReservation {
    keys: Arc<IdempotencyKeys>,
    key: String,
    _end: watch::Sender<()>,
}

impl IdempotencyKeys {
    /// Reserves a key. If its request is in progress, waits up to [`WAIT_MAX`] for the response.
    async fn reserve_or_wait(self: &Arc<Self>, key: &str, fingerprint: Fingerprint) -> KeyLookup {
        let deadline = Instant::now() + WAIT_MAX;
        loop {
            let lookup = self.reserve(key, fingerprint);
            let KeyLookup::InProgress(mut end) = lookup else { return lookup };
            if timeout_at(deadline, end.changed()).await.is_err() {
                return KeyLookup::InProgress(end);
            }
        }
    }

    fn reserve(self: &Arc<Self>, key: &str, fingerprint: Fingerprint) -> KeyLookup {
        let mut table = self.table();
        match table.by_key.get(key) {
            Some((stored, _)) if *stored != fingerprint => return KeyLookup::KeyReused,
            Some((_, KeyState::Completed(response))) => return KeyLookup::Completed(response.clone()),
            Some((_, KeyState::InProgress(end))) => return KeyLookup::InProgress(end.clone()),
            None => {}
        }
        let (sender, end) = watch::channel(());
        table.by_key.insert(key.to_owned(), (fingerprint, KeyState::InProgress(end)));
        KeyLookup::New(KeyReservation { keys: Arc::clone(self), key: key.to_owned(), _end: sender })
    }

    fn table(&self) -> MutexGuard<'_, KeyTable> {
        // The state is consistent after each step, so a poisoned lock is safe.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeyReservation {
    fn complete(self, response: StoredResponse) {
        let mut table = self.keys.table();
        if let Some((_, state)) = table.by_key.get_mut(&self.key) {
            *state = KeyState::Completed(response);
            table.completed.push_back(self.key.clone());
        }
        while table.completed.len() > KEYS_MAX {
            if let Some(oldest) = table.completed.pop_front() {
                table.by_key.remove(&oldest);
            }
        }
    }
}

impl Drop for KeyReservation {
    fn drop(&mut self) {
        let mut table = self.keys.table();
        if matches!(table.by_key.get(&self.key), Some((_, KeyState::InProgress(_)))) {
            table.by_key.remove(&self.key);
        }
    }
}

impl IntoResponse for StoredResponse {
    fn into_response(self) -> Response {
        let mut response = (self.status, self.body).into_response();
        match self.content_type {
            Some(kind) => response.headers_mut().insert(CONTENT_TYPE, kind),
            None => response.headers_mut().remove(CONTENT_TYPE),
        };
        response
    }
}

/// Executes a POST request with a key once; a repetition gets the stored response.
pub(crate) async fn run_once_per_key(
    State(keys): State<Arc<IdempotencyKeys>>,
    request: Request,
    next: Next,
) -> Response {
    let mut keys_of_request = request.headers().get_all(KEY_HEADER).iter();
    let key = keys_of_request.next().filter(|_| request.method() == Method::POST).cloned();
    match key {
        None => next.run(request).await,
        Some(_) if keys_of_request.next().is_some() => {
            let detail = "The request has several idempotency keys.";
            ApiError::new(ProblemCode::BadRequest, detail, "Send one.").into_response()
        }
        Some(key) => match run_with_key(keys, &key, request, next).await {
            Ok(response) => response,
            Err(error) => error.into_response(),
        },
    }
}

async fn run_with_key(
    keys: Arc<IdempotencyKeys>,
    key: &HeaderValue,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let key = key.to_str().ok().filter(|key| (1..=KEY_BYTES_MAX).contains(&key.len())).ok_or_else(|| {
        let detail =
            format!("The idempotency key must have 1 to {KEY_BYTES_MAX} printable ASCII characters.");
        ApiError::new(ProblemCode::BadRequest, detail, "Use a new UUID for each request.")
    })?;
    let (head, body) = request.into_parts();
    let body = read_body(body, PLAN_BYTES_MAX).await?;
    // A response is for the kind of credential that got it.
    let is_token = head.extensions.get::<Credential>() != Some(&Credential::Cookie);
    let fingerprint = Sha256::new().chain_update([u8::from(is_token)]).chain_update(head.uri.to_string());
    let fingerprint = fingerprint.chain_update([0]).chain_update(&body);
    let reservation = match keys.reserve_or_wait(key, fingerprint.finalize().into()).await {
        KeyLookup::New(reservation) => reservation,
        KeyLookup::Completed(stored) => {
            let mut response = stored.into_response();
            response.headers_mut().insert(REPLAYED_HEADER, HeaderValue::from_static("true"));
            return Ok(response);
        }
        KeyLookup::InProgress(_) => {
            let hint = "Repeat the request later to get its response.";
            return Err(ApiError::new(
                ProblemCode::KeyInProgress,
                "A request with this idempotency key is in progress.",
                hint,
            ));
        }
        KeyLookup::KeyReused => {
            let hint = "Use a new key for each request.";
            return Err(ApiError::new(
                ProblemCode::KeyReused,
                "This idempotency key was used for another request.",
                hint,
            ));
        }
    };
    let request = Request::from_parts(head, Body::from(body));
    // On its own task: if the client disconnects, a repetition must still find the response.
    let work = tokio::spawn(async move {
        let (response, stored) = to_stored(next.run(request).await).await;
        if let Some(stored) = stored {
            reservation.complete(stored);
        }
        response
    });
    work.await.map_err(|_| ApiError::internal())
}

/// Returns a response and its stored form. Server errors and refusals of a credential are not stored, so that the request
/// can be repeated.
async fn to_stored(response: Response) -> (Response, Option<StoredResponse>) {
    let (head, body) = response.into_parts();
    let Ok(body) = Limited::new(body, RESPONSE_BYTES_MAX).collect().await else {
        return (ApiError::internal().into_response(), None);
    };
    let body = body.to_bytes();
    let is_refusal = matches!(head.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let stored = (!head.status.is_server_error() && !is_refusal).then(|| StoredResponse {
        status: head.status,
        content_type: head.headers.get(CONTENT_TYPE).cloned(),
        body: body.clone(),
    });
    (Response::from_parts(head, Body::from(body)), stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINGERPRINT: Fingerprint = [1; 32];

    fn response(text: &'static str) -> StoredResponse {
        StoredResponse {
            status: StatusCode::OK,
            content_type: None,
            body: Bytes::from_static(text.as_bytes()),
        }
    }

    fn reserve(keys: &Arc<IdempotencyKeys>, key: &str) -> KeyReservation {
        match keys.reserve(key, FINGERPRINT) {
            KeyLookup::New(reservation) => reservation,
            KeyLookup::Completed(_) | KeyLookup::InProgress(_) | KeyLookup::KeyReused => {
                panic!("{key} is in use")
            }
        }
    }

    #[test]
    fn oldest_completed_key_is_removed_and_a_key_in_progress_never() {
        let keys = Arc::new(IdempotencyKeys::default());
        let slow = reserve(&keys, "slow");
        for number in 0..=KEYS_MAX {
            reserve(&keys, &number.to_string()).complete(response("quick"));
        }
        assert!(matches!(keys.reserve("slow", FINGERPRINT), KeyLookup::InProgress(_)));
        slow.complete(response("slow"));
        assert!(matches!(keys.reserve("slow", FINGERPRINT), KeyLookup::Completed(_)));
        assert!(matches!(keys.reserve("1", FINGERPRINT), KeyLookup::New(_)), "it was the oldest");
        assert!(matches!(keys.reserve("2", FINGERPRINT), KeyLookup::Completed(_)));
        assert_eq!(keys.table().by_key.len(), KEYS_MAX);
    }

    #[tokio::test(start_paused = true)]
    async fn repetition_waits_for_the_response_up_to_the_limit() {
        let keys = Arc::new(IdempotencyKeys::default());
        let reservation = reserve(&keys, "one");
        let (lookup, ()) = tokio::join!(keys.reserve_or_wait("one", FINGERPRINT), async {
            reservation.complete(response("done"))
        });
        assert!(matches!(lookup, KeyLookup::Completed(response) if response.body == "done"));

        // A request without a response is executed by the repetition.
        let reservation = reserve(&keys, "two");
        let (lookup, ()) =
            tokio::join!(keys.reserve_or_wait("two", FINGERPRINT), async { drop(reservation) });
        let KeyLookup::New(reservation) = lookup else { panic!("the repetition gets the key") };

        let before = Instant::now();
        assert!(matches!(keys.reserve_or_wait("two", FINGERPRINT).await, KeyLookup::InProgress(_)));
        assert_eq!(before.elapsed(), WAIT_MAX);
        assert!(matches!(keys.reserve_or_wait("two", [2; 32]).await, KeyLookup::KeyReused));
        drop(reservation);
    }
}
