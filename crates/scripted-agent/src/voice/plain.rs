//! The plain voice: text on a terminal or a pipe, as any program writes it.

use std::io;

use super::{Answer, Asked, Heard, Outcome, Verdict, Voice};
use crate::{
    mouth,
    script::{Failure, PlanEntry, Question, Stop, Tool, Usage},
};

/// Has no state: what is said is written, what is read is a line.
pub struct Plain;

impl Voice for Plain {
    fn has_turns(&self) -> bool {
        false
    }

    fn hear(&mut self, line: &str) -> io::Result<Heard> {
        Ok(Heard::Prompt(line.to_owned()))
    }

    fn begin_turn(&mut self, _prompt: &str) -> io::Result<()> {
        Ok(())
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        mouth::write(text.as_bytes())
    }

    fn think(&mut self, text: &str) -> io::Result<()> {
        mouth::write(format!("\x1b[2m{text}\x1b[0m\n").as_bytes())
    }

    fn tool_begins(&mut self, tool: &Tool) -> io::Result<()> {
        mouth::write(format!("$ {}\n", tool.title()).as_bytes())
    }

    fn ask_permission(&mut self, _tool: &Tool) -> io::Result<Asked> {
        mouth::write(b"Do you want to proceed? (y/n) ")?;
        Ok(Asked::Waiting)
    }

    fn tool_ends(&mut self, _tool: &Tool, outcome: &Outcome) -> io::Result<()> {
        match outcome {
            Outcome::Output(text) => mouth::write(text.as_bytes()),
            Outcome::Denied(_) => mouth::write(b"Not done.\n"),
        }
    }

    // The script's check keeps the rest away from this voice.
    fn ask_question(&mut self, _question: &Question) -> io::Result<Asked> {
        Ok(Asked::Nobody(Answer { verdict: Verdict::Deny, text: String::new() }))
    }

    fn plan(&mut self, _entries: &[PlanEntry]) -> io::Result<()> {
        Ok(())
    }

    fn usage(&mut self, _usage: Usage) -> io::Result<()> {
        Ok(())
    }

    fn end_turn(&mut self, _stop: Stop) -> io::Result<()> {
        Ok(())
    }

    fn fail(&mut self, _failure: &Failure) -> io::Result<()> {
        Ok(())
    }
}
