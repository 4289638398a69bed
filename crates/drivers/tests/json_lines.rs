//! Recorded output of Claude Code and Codex, and the reactions of their drivers: each file against its snapshot.
//!
//! The sessions were recorded with a scripted model on loopback; the lists of tools and commands that an agent prints
//! at each start are cut out. Files called `odd` were written by hand, for rare cases.

#![expect(clippy::disallowed_methods, reason = "a test may read its own files")]

#[path = "recorded/player.rs"]
mod player;
#[path = "recorded/transcript.rs"]
mod transcript;

use player::play_transcript;
use transcript::Transcript;

#[test]
fn recorded_output_gives_the_events_of_its_snapshot() {
    insta::glob!("transcripts/*/*.jsonl", |path| {
        let transcript = Transcript::read(path);
        let whole = play_transcript(&transcript, usize::MAX);
        for piece in [1, 7, 1000] {
            assert_eq!(play_transcript(&transcript, piece), whole, "{} in pieces of {piece}", path.display());
        }
        insta::assert_snapshot!(whole);
    });
}
