//! Does a wish once, however often it is sent: whoever gets no answer sends it again with the same key.
//!
//! What was answered is remembered for the last so many keys, and forgotten when the server ends. Who sends a wish again
//! while it is at work waits for its answer.

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
/// How long whoever sends a wish again waits for the first to be done. Landing a large run takes longer.
const WAIT_MAX: Duration = Duration::from_secs(20);

type Print = [u8; 32];

/// What was answered.
#[derive(Default)]
pub struct Answers {
    kept: Mutex<Kept>,
}

// Invariant: a key whose wish is at work is never forgotten, or the wish could be done twice.
#[derive(Default)]
struct Kept {
    by_key: HashMap<String, (Print, Wish)>,
    /// The keys with an answer, the oldest first.
    order: VecDeque<String>,
}

enum Wish {
    /// It is done now; nothing is sent, but it closes at the end.
    AtWork(watch::Receiver<()>),
    Answered(Answer),
}

#[derive(Clone)]
struct Answer {
    status: StatusCode,
    content_type: Option<HeaderValue>,
    body: Bytes,
}

/// What is known of a key.
enum Known {
    New(Working),
    Answered(Answer),
    AtWork(watch::Receiver<()>),
    Other,
}

/// A wish that is done now. Where it comes to no answer its key is as new.
struct Working {
    answers: Arc<Answers>,
    key: String,
    _end: watch::Sender<()>,
}

impl Answers {
    /// Takes a key to work at it. Where somebody does already, waits for what comes of it, but not for ever.
    async fn take(self: &Arc<Self>, key: &str, print: Print) -> Known {
        let until = Instant::now() + WAIT_MAX;
        loop {
            let known = self.begin(key, print);
            let Known::AtWork(mut end) = known else { return known };
            if timeout_at(until, end.changed()).await.is_err() {
                return Known::AtWork(end);
            }
        }
    }

    fn begin(self: &Arc<Self>, key: &str, print: Print) -> Known {
        let mut kept = self.kept();
        match kept.by_key.get(key) {
            Some((known, _)) if *known != print => return Known::Other,
            Some((_, Wish::Answered(answer))) => return Known::Answered(answer.clone()),
            Some((_, Wish::AtWork(end))) => return Known::AtWork(end.clone()),
            None => {}
        }
        let (sender, end) = watch::channel(());
        kept.by_key.insert(key.to_owned(), (print, Wish::AtWork(end)));
        Known::New(Working { answers: Arc::clone(self), key: key.to_owned(), _end: sender })
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // What is inside is whole after each step.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Working {
    fn answered(self, answer: Answer) {
        let mut kept = self.answers.kept();
        if let Some((_, state)) = kept.by_key.get_mut(&self.key) {
            *state = Wish::Answered(answer);
            kept.order.push_back(self.key.clone());
        }
        while kept.order.len() > KEYS_MAX {
            if let Some(oldest) = kept.order.pop_front() {
                kept.by_key.remove(&oldest);
            }
        }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        let mut kept = self.answers.kept();
        if matches!(kept.by_key.get(&self.key), Some((_, Wish::AtWork(_)))) {
            kept.by_key.remove(&self.key);
        }
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
    let working = match answers.take(key, print.finalize().into()).await {
        Known::New(working) => working,
        Known::Answered(answer) => {
            let mut response = answer.into_response();
            response.headers_mut().insert(AGAIN, HeaderValue::from_static("true"));
            return Ok(response);
        }
        Known::AtWork(_) => {
            let hint = "wait for its answer, then send it again to have the same";
            return Err(Failure::new(Code::KeyBusy, "a wish with this key is at work", hint));
        }
        Known::Other => {
            let hint = "make up a new key for each wish";
            return Err(Failure::new(Code::KeyTaken, "another wish had this key", hint));
        }
    };
    let request = Request::from_parts(head, Body::from(body));
    // Whoever goes away in the middle of it comes again, and must find what came of it.
    let work = tokio::spawn(async move {
        let (response, answer) = remembered(next.run(request).await).await;
        if let Some(answer) = answer {
            working.answered(answer);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const PRINT: Print = [1; 32];

    fn answer(text: &'static str) -> Answer {
        Answer { status: StatusCode::OK, content_type: None, body: Bytes::from_static(text.as_bytes()) }
    }

    fn begun(answers: &Arc<Answers>, key: &str) -> Working {
        match answers.begin(key, PRINT) {
            Known::New(working) => working,
            Known::Answered(_) | Known::AtWork(_) | Known::Other => panic!("{key} is known"),
        }
    }

    #[test]
    fn a_key_at_work_is_never_forgotten_and_of_the_others_the_oldest_is() {
        let answers = Arc::new(Answers::default());
        let slow = begun(&answers, "slow");
        for number in 0..=KEYS_MAX {
            begun(&answers, &number.to_string()).answered(answer("quick"));
        }
        assert!(matches!(answers.begin("slow", PRINT), Known::AtWork(_)));
        slow.answered(answer("slow"));
        assert!(matches!(answers.begin("slow", PRINT), Known::Answered(_)));
        assert!(matches!(answers.begin("1", PRINT), Known::New(_)), "two more came behind it");
        assert!(matches!(answers.begin("2", PRINT), Known::Answered(_)));
        assert_eq!(answers.kept().by_key.len(), KEYS_MAX);
    }

    #[tokio::test(start_paused = true)]
    async fn who_sends_a_wish_again_waits_for_its_answer_but_not_for_ever() {
        let answers = Arc::new(Answers::default());
        let working = begun(&answers, "one");
        let (found, ()) =
            tokio::join!(answers.take("one", PRINT), async { working.answered(answer("done")) });
        assert!(matches!(found, Known::Answered(answer) if answer.body == "done"));

        // What came to nothing, as by a mistake of ours, is done by whoever waited.
        let working = begun(&answers, "two");
        let (found, ()) = tokio::join!(answers.take("two", PRINT), async { drop(working) });
        let Known::New(working) = found else { panic!("it is for who waited") };

        let before = Instant::now();
        assert!(matches!(answers.take("two", PRINT).await, Known::AtWork(_)));
        assert_eq!(before.elapsed(), WAIT_MAX);
        assert!(matches!(answers.take("two", [2; 32]).await, Known::Other));
        drop(working);
    }
}
