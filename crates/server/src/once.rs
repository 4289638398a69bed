//! Does a wish once, however often it is sent: whoever gets no answer sends it again with the same key.
//!
//! What was answered is remembered for the last so many keys, and forgotten when the server ends.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
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

use crate::{
    code::Code,
    problem::Failure,
    request::{PLAN_BYTES_MAX, read_body},
};

/// The header with the key.
const KEY: &str = "idempotency-key";
/// Says that an answer was given before.
const AGAIN: &str = "idempotency-replayed";
/// How long a key can be.
const KEY_BYTES_MAX: usize = 200;
/// How many answers are remembered.
const KEYS_MAX: usize = 1000;
/// How large an answer can be that is remembered; those to wishes are small.
const ANSWER_BYTES_MAX: usize = 64 << 10;

type Print = [u8; 32];

/// What was answered.
#[derive(Default)]
pub struct Answers {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    by_key: HashMap<String, (Print, Option<Answer>)>,
    /// The keys, the oldest first.
    order: VecDeque<String>,
}

#[derive(Clone)]
struct Answer {
    status: StatusCode,
    content_type: Option<HeaderValue>,
    body: Bytes,
}

/// What is known of a key.
enum Known {
    New,
    Answered(Answer),
    AtWork,
    Other,
}

impl Answers {
    fn begin(&self, key: &str, print: Print) -> Known {
        let mut kept = self.kept();
        match kept.by_key.get(key) {
            Some((known, _)) if *known != print => return Known::Other,
            Some((_, Some(answer))) => return Known::Answered(answer.clone()),
            Some((_, None)) => return Known::AtWork,
            None => {}
        }
        kept.by_key.insert(key.to_owned(), (print, None));
        kept.order.push_back(key.to_owned());
        while kept.order.len() > KEYS_MAX {
            if let Some(oldest) = kept.order.pop_front() {
                kept.by_key.remove(&oldest);
            }
        }
        Known::New
    }

    /// Remembers an answer; without one the key is as new.
    fn end(&self, key: &str, answer: Option<Answer>) {
        let mut kept = self.kept();
        if answer.is_none() {
            kept.by_key.remove(key);
            kept.order.retain(|known| known != key);
        } else if let Some(known) = kept.by_key.get_mut(key) {
            known.1 = answer;
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // What is inside is whole after each step.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = (self.status, self.body).into_response();
        match self.content_type {
            Some(kind) => response.headers_mut().insert(CONTENT_TYPE, kind),
            None => response.headers_mut().remove(CONTENT_TYPE),
        };
        response
    }
}

/// Answers a wish that has a key as it was answered before.
pub async fn once(State(answers): State<Arc<Answers>>, request: Request, next: Next) -> Response {
    let key = request.headers().get(KEY).filter(|_| request.method() == Method::POST).cloned();
    match key {
        None => next.run(request).await,
        Some(key) => match with_key(answers, &key, request, next).await {
            Ok(answer) => answer,
            Err(failure) => failure.into_response(),
        },
    }
}

async fn with_key(
    answers: Arc<Answers>,
    key: &HeaderValue,
    request: Request,
    next: Next,
) -> Result<Response, Failure> {
    let key = key.to_str().ok().filter(|key| (1..=KEY_BYTES_MAX).contains(&key.len())).ok_or_else(|| {
        let detail = format!("an idempotency key has 1 to {KEY_BYTES_MAX} letters, digits and signs");
        Failure::new(Code::BadRequest, detail, "make one up for each wish, such as a UUID")
    })?;
    let (head, body) = request.into_parts();
    let body = read_body(body, PLAN_BYTES_MAX).await?;
    let print = Sha256::new().chain_update(head.uri.to_string()).chain_update([0]).chain_update(&body);
    match answers.begin(key, print.finalize().into()) {
        Known::New => {}
        Known::Answered(answer) => {
            let mut response = answer.into_response();
            response.headers_mut().insert(AGAIN, HeaderValue::from_static("true"));
            return Ok(response);
        }
        Known::AtWork => {
            let hint = "wait for its answer, then send it again to have the same";
            return Err(Failure::new(Code::KeyBusy, "a wish with this key is at work", hint));
        }
        Known::Other => {
            let hint = "make up a new key for each wish";
            return Err(Failure::new(Code::KeyTaken, "another wish had this key", hint));
        }
    }
    let (key, request) = (key.to_owned(), Request::from_parts(head, Body::from(body)));
    // Whoever goes away in the middle of it comes again, and must find what came of it.
    let work = tokio::spawn(async move {
        let (response, answer) = remembered(next.run(request).await).await;
        answers.end(&key, answer);
        response
    });
    work.await.map_err(|_| Failure::ours())
}

/// Returns an answer, and the same to be remembered where it can be. A mistake of ours may be tried again.
async fn remembered(response: Response) -> (Response, Option<Answer>) {
    let (head, body) = response.into_parts();
    let Ok(body) = Limited::new(body, ANSWER_BYTES_MAX).collect().await else {
        return (Failure::ours().into_response(), None);
    };
    let body = body.to_bytes();
    let answer = (!head.status.is_server_error()).then(|| Answer {
        status: head.status,
        content_type: head.headers.get(CONTENT_TYPE).cloned(),
        body: body.clone(),
    });
    (Response::from_parts(head, Body::from(body)), answer)
}
