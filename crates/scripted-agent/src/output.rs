//! Writes to standard output: exact bytes, flushed at once, in chunks if the script asks for it.

use std::{
    io::{self, Write},
    thread,
    time::Duration,
};

use serde_json::Value;

/// Writes and flushes.
pub(crate) fn write_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(bytes)?;
    output.flush()
}

/// Writes bytes in chunks, with a pause after each.
pub(crate) fn write_in_pieces(bytes: &[u8], piece: usize, pause: Duration) -> io::Result<()> {
    for bytes in bytes.chunks(piece.max(1)) {
        // Standard output is line-buffered, so every chunk is flushed.
        write_bytes(bytes)?;
        thread::sleep(pause);
    }
    Ok(())
}

/// Writes a value as one line of JSON.
pub(crate) fn write_json(value: &Value) -> io::Result<()> {
    write_bytes(format!("{value}\n").as_bytes())
}
