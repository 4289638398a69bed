//! The player's standard output: exact bytes, at once, in pieces where the script wants them.

use std::{
    io::{self, Write},
    thread,
    time::Duration,
};

use serde_json::Value;

/// Writes bytes and sends them off.
pub fn write(bytes: &[u8]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(bytes)?;
    output.flush()
}

/// Writes bytes in pieces, with a pause behind each.
pub fn write_in_pieces(bytes: &[u8], piece: usize, pause: Duration) -> io::Result<()> {
    for bytes in bytes.chunks(piece.max(1)) {
        // Standard output keeps what stands behind the last newline: every piece is flushed.
        write(bytes)?;
        thread::sleep(pause);
    }
    Ok(())
}

/// Writes a value as one line of JSON.
pub fn write_json(value: &Value) -> io::Result<()> {
    write(format!("{value}\n").as_bytes())
}
