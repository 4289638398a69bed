//! Escape sequences and control characters without visible effect, reproducible by seed.

/// Sequences that a terminal interprets and a decoder has to skip. None of them prints a character.
const SEQUENCES: [&[u8]; 20] = [
    b"\x1b[31m",
    b"\x1b[0m",
    b"\x1b[1;38;5;208m",
    b"\x1b[?25l",
    b"\x1b[?25h",
    b"\x1b[?2004h",
    b"\x1b[?2026h",
    b"\x1b[?2026l",
    b"\x1b]0;a title\x07",
    b"\x1b]8;;http://127.0.0.1/\x1b\\",
    b"\x1b]8;;\x1b\\",
    b"\x1bP+q544e\x1b\\",
    b"\x1b_Ga=q\x1b\\",
    b"\x1b(B",
    b"\x1b7",
    b"\x1b8",
    b"\x07",
    b"\x1b[>7u",
    b"\x1b[6n",
    "\u{9b}0m".as_bytes(),
];

/// Returns at least `bytes` bytes of noise.
pub(crate) fn escape_noise(bytes: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut noise = Vec::with_capacity(bytes + 32);
    while noise.len() < bytes {
        // Marsaglia's xorshift: good enough here, and identical on every platform.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let at = usize::try_from(state % SEQUENCES.len() as u64).unwrap_or(0);
        noise.extend_from_slice(SEQUENCES.get(at).copied().unwrap_or_default());
    }
    noise
}

/// Returns one frame of a spinner, which overwrites the previous one.
pub(crate) fn spinner_frame(number: u32, text: &str) -> String {
    const SIGNS: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
    let sign = SIGNS.get(number as usize % SIGNS.len()).copied().unwrap_or("⠋");
    format!("\r\x1b[36m{sign}\x1b[0m {text}\x1b[K")
}
