//! Writes raw input to a session, also while other clients of its holder write.

use std::time::Duration;

use holder::{
    ClientError, HolderConnection,
    protocol::{Refusal, Reply, Request},
};

use crate::{SessionEntry, SessionError, Sessions};

const REPLY_TIMEOUT: Duration = Duration::from_secs(20);
/// Other clients may take the next number first; more lost races than this mean another fault.
const ATTEMPTS_MAX: usize = 100;

/// A connection to a session's holder that writes input, each piece exactly once.
pub struct InputWriter {
    connection: HolderConnection,
    name: String,
    next: u64,
}

impl InputWriter {
    /// Connects to a running session.
    pub fn connect(sessions: &Sessions, session: &SessionEntry) -> Result<Self, SessionError> {
        let mut connection = sessions.connect(session)?;
        let name = session.name.clone();
        let next = match connection.request(&Request::Status, REPLY_TIMEOUT) {
            Ok(Reply::Status(status)) => status.inputs_accepted + 1,
            Ok(_) => return Err(SessionError::NotRunning { name }),
            Err(source) => return Err(SessionError::Holder { name, source }),
        };
        Ok(Self { connection, name, next })
    }

    /// Writes bytes after all input that was accepted before.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), SessionError> {
        for _ in 0..ATTEMPTS_MAX {
            let input = Request::Input { number: self.next, bytes: bytes.to_vec() };
            let source = match self.connection.request(&input, REPLY_TIMEOUT) {
                Ok(Reply::InputWritten { number }) if number >= self.next => {
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
                    return Err(SessionError::NotRunning { name: self.name.clone() });
                }
                Err(source) => source,
            };
            return Err(SessionError::Holder { name: self.name.clone(), source });
        }
        Err(SessionError::Holder { name: self.name.clone(), source: ClientError::TimedOut })
    }
}
