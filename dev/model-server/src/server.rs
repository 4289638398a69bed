//! The server: one thread that accepts, one for each connection, and a record of all requests.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use serde_json::{Value, json};

use crate::{
    dialect::{Completion, Dialect, Endpoint, endpoint},
    http::{self, Request},
    script::{ReplyPart, Script, ScriptedError, ScriptedReply, ScriptedTurn, Usage},
};

/// A running server, stopped when dropped.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<State>,
    accepting: Option<JoinHandle<()>>,
}

/// A request to the model, and the response to it.
#[derive(Debug, Clone)]
pub struct RecordedRequest {
    /// The API of the request.
    pub dialect: Dialect,
    /// The path with the query.
    pub target: String,
    /// With names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as JSON.
    pub body: Value,
    /// All texts for the model since its last message.
    pub prompt: String,
    /// Whether it is not part of the conversation.
    pub is_side_request: bool,
    /// Whether the script had no turn left.
    pub is_unscripted: bool,
    /// The HTTP status of the response.
    pub status: u16,
    /// The usage in the response.
    pub usage: Usage,
}

#[derive(Debug)]
struct State {
    script: Mutex<Script>,
    requests: Mutex<Vec<RecordedRequest>>,
    is_stopped: AtomicBool,
}

impl ModelServer {
    /// Starts a server on a free port of loopback.
    pub fn start(script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let state = Arc::new(State {
            script: Mutex::new(script),
            requests: Mutex::new(Vec::new()),
            is_stopped: AtomicBool::new(false),
        });
        let accepted = Arc::clone(&state);
        let accepting = thread::Builder::new().name("model-server".to_owned()).spawn(move || {
            for stream in listener.incoming() {
                if accepted.is_stopped.load(Ordering::Relaxed) {
                    break;
                }
                let state = Arc::clone(&accepted);
                // An agent may disconnect during a response; that is not an error of the server.
                thread::spawn(move || stream.and_then(|stream| state.serve(stream)));
            }
        })?;
        Ok(Self { address, state, accepting: Some(accepting) })
    }

    /// Returns its address: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns all requests to the model so far, in their order.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.state.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the sum of the usage in all responses.
    pub fn usage(&self) -> Usage {
        self.requests().iter().fold(Usage::default(), |sum, request| Usage {
            input: sum.input + request.usage.input,
            output: sum.output + request.usage.output,
        })
    }

    /// Replaces the rest of the script.
    pub fn replace_script(&self, script: Script) {
        *self.state.script.lock().unwrap_or_else(PoisonError::into_inner) = script;
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.state.is_stopped.store(true, Ordering::Relaxed);
        // Wakes the accepting thread; if that fails, it has ended already.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

impl State {
    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        let Some(request) = http::read_request(&mut stream)? else { return Ok(()) };
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        match endpoint(&request.target) {
            Endpoint::Completion(dialect) if request.method == "POST" => {
                self.serve_completion(&mut stream, dialect, &request, body)
            }
            Endpoint::TokenCount(dialect) => http::respond(
                &mut stream,
                200,
                &[],
                &dialect.token_count_body(estimate_tokens(request.body.len())).to_string(),
            ),
            Endpoint::Models => {
                http::respond(&mut stream, 200, &[], r#"{"object":"list","data":[],"models":[]}"#)
            }
            Endpoint::Completion(_) | Endpoint::Unknown => http::respond(&mut stream, 404, &[], "{}"),
        }
    }

    fn serve_completion(
        &self,
        stream: &mut TcpStream,
        dialect: Dialect,
        request: &Request,
        body: Value,
    ) -> io::Result<()> {
        let prompt = dialect.texts_since_reply(&body);
        let (turn, is_side_request, is_unscripted) = self.next_turn(&body, &prompt);
        let streams = dialect.streams(&request.target, &body);
        let model = dialect.model(&request.target, &body).to_owned();
        let (status, usage) = match &turn {
            ScriptedTurn::Reply(reply) => {
                (200, reply.usage.unwrap_or_else(|| estimate_usage(request, reply)))
            }
            ScriptedTurn::Error(error) => (error.status, Usage::default()),
        };
        // Recorded before the response is sent, so that a test that sees the response finds the record.
        let number = self.record(RecordedRequest {
            dialect,
            target: request.target.clone(),
            headers: request.headers.clone(),
            body,
            prompt,
            is_side_request,
            is_unscripted,
            status,
            usage,
        });
        match turn {
            ScriptedTurn::Error(error) => send_error(stream, dialect, &error),
            ScriptedTurn::Reply(reply) => {
                let completion = Completion { number, model: &model, parts: &reply.parts, usage };
                thread::sleep(reply.delay);
                if streams {
                    send_events(stream, &dialect.stream_events(&completion), &reply)
                } else {
                    http::respond(
                        stream,
                        200,
                        &reply.headers,
                        &dialect.completion_json(&completion).to_string(),
                    )
                }
            }
        }
    }

    /// Returns the next turn, whether it answers a side request, and whether the script had no turn left.
    fn next_turn(&self, body: &Value, prompt: &str) -> (ScriptedTurn, bool, bool) {
        let mut script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
        if !script.scripts_side_requests && !Dialect::offers_tools(body) {
            return (ScriptedTurn::text_reply(&script.side_reply), true, false);
        }
        let conversation = body.to_string();
        match script.take_turn(prompt, &conversation) {
            Some(turn) => (script.fill_in_session_key(turn, &conversation), false, false),
            None => (ScriptedTurn::text_reply("The script has no turn left."), false, true),
        }
    }

    /// Stores a request and returns its number.
    fn record(&self, request: RecordedRequest) -> u64 {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.push(request);
        requests.len() as u64
    }
}

fn send_events(stream: &mut TcpStream, events: &[String], reply: &ScriptedReply) -> io::Result<()> {
    http::begin_stream(stream, &reply.headers)?;
    for (index, event) in events.iter().enumerate() {
        if reply.cut_after == Some(index) {
            // Without the last chunk, so that the agent sees that the response is incomplete.
            return Ok(());
        }
        http::send_chunk(stream, event)?;
        thread::sleep(reply.pace);
    }
    http::send_chunk(stream, "")
}

fn send_error(stream: &mut TcpStream, dialect: Dialect, error: &ScriptedError) -> io::Result<()> {
    let mut error = error.clone();
    if error.message.is_empty() {
        error.message = format!("the script returns {}", error.status);
    }
    http::respond(stream, error.status, &error.headers, &dialect.error_body(&error).to_string())
}

/// Estimates the usage: four bytes for a token.
fn estimate_usage(request: &Request, reply: &ScriptedReply) -> Usage {
    let n_bytes = |part: &ReplyPart| match part {
        ReplyPart::Text(text) => text.len(),
        ReplyPart::Tool { name, input } => name.len() + json!(input).to_string().len(),
    };
    Usage {
        input: estimate_tokens(request.body.len()),
        output: estimate_tokens(reply.parts.iter().map(n_bytes).sum()),
    }
}

fn estimate_tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}
