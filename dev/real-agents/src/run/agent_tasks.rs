//! Who does what, and what the model says to make it do so.

use std::time::Duration;

use model_server::{KEY, Says, Speech, Turn};
use serde_json::{Value, json};

use super::Course;

/// What the person answers.
pub const ANSWER: &str = "green";
/// What is asked.
pub const QUESTION: &str = "Which colour?";
/// How long a slow one takes for a word: the server is killed while it speaks.
const PACE: Duration = Duration::from_millis(100);
/// How many words a slow one says first.
const N_WORDS: usize = 60;

/// An agent with its task.
pub struct Hand {
    /// The agent.
    pub agent: &'static str,
    /// Its task.
    pub task: &'static str,
    /// The tool by which its model writes, and what it is given: a file and its text.
    tool: (&'static str, fn(&str, &str) -> Value),
    /// Whether a person must allow that; the others' edits pass by the policy.
    needs_permission: bool,
    /// Whether it asks in every run; where answers come late all do.
    asks: bool,
    /// Whether its first words come slowly where the server is killed.
    pub is_slow: bool,
    /// Whether a session that was ended comes back with what it knew.
    pub resumes: bool,
}

/// All four.
pub const HANDS: [Hand; 4] = [
    Hand {
        agent: "claude",
        task: "T1.1",
        tool: ("Write", |file, text| json!({ "file_path": file, "content": text })),
        needs_permission: false,
        asks: true,
        is_slow: true,
        resumes: true,
    },
    Hand {
        agent: "codex",
        task: "T1.2",
        // Outside of its sandbox, so that a person has to allow it.
        tool: ("exec_command", |file, text| {
            let command = format!("printf '%s\\n' '{}' > {file}", text.trim_end());
            json!({ "cmd": command, "sandbox_permissions": "require_escalated", "justification": "May I?" })
        }),
        needs_permission: true,
        asks: false,
        is_slow: true,
        resumes: true,
    },
    Hand {
        agent: "opencode",
        task: "T1.3",
        tool: ("write", |file, text| json!({ "filePath": file, "content": text })),
        needs_permission: false,
        asks: false,
        is_slow: false,
        resumes: true,
    },
    Hand {
        agent: "gemini",
        task: "T1.4",
        tool: ("write_file", |file, text| json!({ "file_path": file, "content": text })),
        needs_permission: false,
        asks: false,
        is_slow: false,
        // It names a session's file after the minute; that it can't come back is what is tried here.
        resumes: false,
    },
];

impl Hand {
    /// Returns the file that it writes.
    pub fn file(&self) -> String {
        format!("{}.txt", self.agent)
    }

    /// Returns what it writes.
    pub fn text(&self) -> String {
        format!("{} likes {ANSWER}\n", self.agent)
    }

    /// Tells whether it asks.
    pub fn asks(&self, course: Course) -> bool {
        self.asks || course == Course::Parked
    }

    /// Returns how often it must ask for a permission. One that was ended while it waited tries again, and is asked anew.
    pub fn n_permissions(&self, course: Course) -> usize {
        match (self.needs_permission, course) {
            (false, _) => 0,
            (true, Course::Quiet | Course::Killed) => 1,
            (true, Course::Parked) => 2,
        }
    }

    /// Returns all that its model says in a run, with the key that its agent was told first.
    pub fn turns(&self, course: Course) -> Vec<Turn> {
        let (name, input) = self.tool;
        let write = Says::Tool { name: name.to_owned(), input: input(&self.file(), &self.text()) };
        let question = format!(
            "I must know something first.\n[ASK_USER {KEY}]\nquestion: {QUESTION}\noptions: [\"{ANSWER}\", \"red\"]\n\
             [/ASK_USER {KEY}]\n"
        );
        let mut answers = vec![vec![write]; self.n_permissions(course).max(1)];
        if self.asks(course) {
            answers.insert(0, vec![Says::Text(question)]);
        }
        let pace = if self.is_slow && course == Course::Killed { PACE } else { Duration::ZERO };
        if let Some(first) = answers.first_mut().filter(|_| !pace.is_zero()) {
            first.insert(0, Says::Text("word ".repeat(N_WORDS) + "\n"));
        }
        let speech = |(number, says)| {
            let pace = if number == 0 { pace } else { Duration::ZERO };
            Turn::Says(Speech { says, pace, ..Speech::default() })
        };
        let done = Turn::text(&format!("It is written.\nDONE:{} {KEY}\n", self.task));
        answers.into_iter().enumerate().map(speech).chain([done]).collect()
    }
}
