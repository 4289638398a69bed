//! Nobody keeps a connection by doing nothing. The clock is one that goes as fast as nobody does anything.

use std::{fs, io, num::NonZeroU32, path::Path};

use axum::serve::Listener;
use domain::{GateApproval, Member, PlannedPhase, PlannedTask, PlannedWork, Role, Settings};
use runtime::{AfterStop, Host, Isolation, NewRun, Outfit, SandboxMode};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    sync::mpsc,
    time::{Duration, Instant},
};

use super::{HEAD_WAIT_MAX, WRITE_WAIT_MAX, serve};
use crate::Api;

/// Connections that a test makes.
struct Door(mpsc::Receiver<DuplexStream>);

impl Listener for Door {
    type Io = DuplexStream;
    type Addr = ();

    async fn accept(&mut self) -> (DuplexStream, ()) {
        match self.0.recv().await {
            Some(stream) => (stream, ()),
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<()> {
        Ok(())
    }
}
