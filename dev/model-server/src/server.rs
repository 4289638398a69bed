//! The server: a thread that accepts, a thread for each connection, and a record of everything that was asked.

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
    dialect::{Answer, Dialect, Wish, wish},
    http::{self, Request},
    script::{Refusal, Says, Script, Speech, Turn, Usage},
};

/// A running server; it ends when it is dropped.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<State>,
    accepting: Option<JoinHandle<()>>,
}

/// A request to the model, and how it was answered.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// How it was asked.
    pub dialect: Dialect,
    /// The path, with what stands behind its question mark.
    pub target: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// What was asked.
    pub body: Value,
    /// All that was said to the model since it last spoke.
    pub words: String,
    /// It was no part of the conversation.
    pub is_aside: bool,
    /// The script had nothing left to say.
    pub is_unscripted: bool,
    /// The status of the answer.
    pub status: u16,
    /// What the answer said that it cost.
    pub usage: Usage,
}

#[derive(Debug)]
struct State {
    script: Mutex<Script>,
    recorded: Mutex<Vec<Recorded>>,
    is_over: AtomicBool,
}

impl ModelServer {
    /// Starts a server on a port of loopback that is free.
    pub fn start(script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let state = Arc::new(State {
            script: Mutex::new(script),
            recorded: Mutex::new(Vec::new()),
            is_over: AtomicBool::new(false),
        });
        let accepted = Arc::clone(&state);
        let accepting = thread::Builder::new().name("model-server".to_owned()).spawn(move || {
            for stream in listener.incoming() {
                if accepted.is_over.load(Ordering::Relaxed) {
                    break;
                }
                let state = Arc::clone(&accepted);
                // An agent that went away in the middle of an answer is no failure of the model.
                thread::spawn(move || stream.and_then(|stream| state.serve(stream)));
            }
        })?;
        Ok(Self { address, state, accepting: Some(accepting) })
    }

    /// Returns its address: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns every request to the model so far, in the order in which they came.
    pub fn recorded(&self) -> Vec<Recorded> {
        self.state.recorded.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns what all answers together said that they cost.
    pub fn usage(&self) -> Usage {
        self.recorded().iter().fold(Usage::default(), |sum, recorded| Usage {
            input: sum.input + recorded.usage.input,
            output: sum.output + recorded.usage.output,
        })
    }

    /// Puts another script in the place of what is left of the present one.
    pub fn replace(&self, script: Script) {
        *self.state.script.lock().unwrap_or_else(PoisonError::into_inner) = script;
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts; where that fails it has ended already.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

impl State {
    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        let Some(request) = http::read(&mut stream)? else { return Ok(()) };
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        match wish(&request.target) {
            Wish::Answer(dialect) if request.method == "POST" => {
                self.answer(&mut stream, dialect, &request, body)
            }
            Wish::Count(dialect) => {
                http::respond(&mut stream, 200, &[], &dialect.count(tokens(request.body.len())).to_string())
            }
            Wish::Models => {
                http::respond(&mut stream, 200, &[], r#"{"object":"list","data":[],"models":[]}"#)
            }
            Wish::Answer(_) | Wish::Unknown => http::respond(&mut stream, 404, &[], "{}"),
        }
    }

    fn answer(
        &self,
        stream: &mut TcpStream,
        dialect: Dialect,
        request: &Request,
        body: Value,
    ) -> io::Result<()> {
        let words = dialect.last_words(&body);
        let (turn, is_aside, is_unscripted) = self.choose(&body, &words);
        let streams = dialect.streams(&request.target, &body);
        let model = dialect.model(&request.target, &body).to_owned();
        let (status, usage) = match &turn {
            Turn::Says(speech) => (200, speech.usage.unwrap_or_else(|| counted(request, speech))),
            Turn::Refuses(refusal) => (refusal.status, Usage::default()),
        };
        // It is on record before the agent has the answer: who has heard the answer can look at the record.
        let number = self.record(Recorded {
            dialect,
            target: request.target.clone(),
            headers: request.headers.clone(),
            body,
            words,
            is_aside,
            is_unscripted,
            status,
            usage,
        });
        match turn {
            Turn::Refuses(refusal) => refuse(stream, dialect, &refusal),
            Turn::Says(speech) => {
                let answer = Answer { number, model: &model, says: &speech.says, usage };
                thread::sleep(speech.delay);
                if streams {
                    send_events(stream, &dialect.events(&answer), &speech)
                } else {
                    http::respond(stream, 200, &speech.headers, &dialect.whole(&answer).to_string())
                }
            }
        }
    }

    /// Finds what to say, whether that is an aside, and whether the script had nothing left.
    fn choose(&self, body: &Value, words: &str) -> (Turn, bool, bool) {
        let mut script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
        if !script.counts_asides && !Dialect::offers_tools(body) {
            return (Turn::text(&script.aside), true, false);
        }
        match script.next(words) {
            Some(turn) => (script.with_key(turn, &body.to_string()), false, false),
            None => (Turn::text("The script has nothing more to say."), false, true),
        }
    }

    fn record(&self, recorded: Recorded) -> u64 {
        let mut all = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(recorded);
        all.len() as u64
    }
}

fn send_events(stream: &mut TcpStream, events: &[String], speech: &Speech) -> io::Result<()> {
    http::begin_stream(stream, &speech.headers)?;
    for (index, event) in events.iter().enumerate() {
        if speech.cut_after == Some(index) {
            // Without the last chunk: the agent sees that there was to be more.
            return Ok(());
        }
        http::send_chunk(stream, event)?;
        thread::sleep(speech.pace);
    }
    http::send_chunk(stream, "")
}

fn refuse(stream: &mut TcpStream, dialect: Dialect, refusal: &Refusal) -> io::Result<()> {
    let mut refusal = refusal.clone();
    if refusal.message.is_empty() {
        refusal.message = format!("the script says {}", refusal.status);
    }
    http::respond(stream, refusal.status, &refusal.headers, &dialect.error(&refusal).to_string())
}

/// Counts four bytes as a token, as one does without the model's own table.
fn counted(request: &Request, speech: &Speech) -> Usage {
    let said = |says: &Says| match says {
        Says::Text(text) => text.len(),
        Says::Tool { name, input } => name.len() + json!(input).to_string().len(),
    };
    Usage { input: tokens(request.body.len()), output: tokens(speech.says.iter().map(said).sum()) }
}

fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}
