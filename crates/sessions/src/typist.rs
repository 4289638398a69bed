//! Types into a session: numbered inputs, each once, whoever else types.

use std::time::Duration;

use holder::{
    ClientError, Connection,
    protocol::{Refusal, Reply, Request},
};

use crate::{Found, SessionError, Sessions};

const ANSWER_MAX: Duration = Duration::from_secs(20);
/// Others may type at the same time; after so many races something else is wrong.
const TRIES_MAX: usize = 100;

/// Types into one session.
pub struct Typist {
    connection: Connection,
    name: String,
    next: u64,
}

impl Typist {
    /// Connects to a session that lives.
    pub fn connect(sessions: &Sessions, found: &Found) -> Result<Self, SessionError> {
        let mut connection = sessions.connect(found)?;
        let name = found.name.clone();
        let next = match connection.ask(&Request::Status, ANSWER_MAX) {
            Ok(Reply::Status(status)) => status.input_taken + 1,
            Ok(_) => return Err(SessionError::Over { name }),
            Err(source) => return Err(SessionError::Holder { name, source }),
        };
        Ok(Self { connection, name, next })
    }

    /// Types bytes once, behind whatever others have typed.
    pub fn type_in(&mut self, bytes: &[u8]) -> Result<(), SessionError> {
        for _ in 0..TRIES_MAX {
            let input = Request::Input { number: self.next, bytes: bytes.to_vec() };
            let refusal = match self.connection.ask(&input, ANSWER_MAX) {
                Ok(Reply::Typed { number }) if number >= self.next => {
                    self.next = number + 1;
                    return Ok(());
                }
                Ok(Reply::Refused(Refusal::OutOfOrder { expected })) => {
                    self.next = expected;
                    continue;
                }
                Ok(Reply::Refused(refusal)) => ClientError::Refused(refusal),
                Ok(_) => ClientError::Malformed,
                Err(ClientError::Closed) => {
                    return Err(SessionError::Over { name: self.name.clone() });
                }
                Err(source) => source,
            };
            return Err(SessionError::Holder { name: self.name.clone(), source: refusal });
        }
        Err(SessionError::Holder { name: self.name.clone(), source: ClientError::TimedOut })
    }
}
