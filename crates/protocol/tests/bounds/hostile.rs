//! Generators of expensive output: each targets one loop or one buffer of the decoder.

use protocol::{Decoder, DecoderOptions, KeyRequirement};

/// A prefix, a repeated unit and a suffix.
#[derive(Debug)]
pub(crate) struct HostileOutput {
    pub name: &'static str,
    pub reader: DecoderKind,
    pub scope: BufferedPart,
    before: String,
    unit: RepeatedUnit,
    after: &'static str,
}

/// The decoder that reads it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DecoderKind {
    Worker,
    Orchestrator,
    Keyed,
    Screen,
}

/// The part of the output that one buffer of the decoder holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BufferedPart {
    /// One line outside a body.
    Line,
    /// One line that is edited repeatedly.
    Edits,
    Body,
    /// An endless stream.
    Stream,
    /// An endless stream on a screen, which is far more expensive.
    Screen,
}

#[derive(Debug)]
enum RepeatedUnit {
    Same(&'static [u8]),
    /// Differs each time.
    Counted(fn(usize) -> String),
}

impl HostileOutput {
    /// Returns at most `limit` bytes.
    pub(crate) fn bytes(&self, limit: usize) -> Vec<u8> {
        let mut bytes = self.before.clone().into_bytes();
        let end = limit.saturating_sub(self.after.len());
        let mut fill = |end: usize, unit: &dyn Fn(usize) -> Vec<u8>| {
            for index in 0.. {
                let unit = unit(index);
                if bytes.len() + unit.len() > end {
                    break;
                }
                bytes.extend(unit);
            }
        };
        match self.unit {
            RepeatedUnit::Same(unit) => fill(end, &|_| unit.to_vec()),
            RepeatedUnit::Counted(unit) => fill(end, &|index| unit(index).into_bytes()),
        }
        bytes.extend_from_slice(self.after.as_bytes());
        bytes
    }

    pub(crate) fn decoder(&self) -> Decoder {
        let key = || "k3f9".parse().ok();
        match self.reader {
            DecoderKind::Worker => Decoder::new(DecoderOptions::worker()),
            DecoderKind::Orchestrator => Decoder::new(DecoderOptions::orchestrator()),
            DecoderKind::Keyed => Decoder::new(DecoderOptions {
                key: key(),
                key_requirement: KeyRequirement::Required,
                ..DecoderOptions::orchestrator()
            }),
            DecoderKind::Screen => Decoder::for_screen(DecoderOptions::orchestrator()),
        }
    }
}

/// Returns every generator.
pub(crate) fn all_hostile_outputs() -> Vec<HostileOutput> {
    [
        line_outputs(),
        edited_line_outputs(),
        keyword_line_outputs(),
        body_outputs(),
        block_outputs(),
        stream_outputs(),
        screen_outputs(),
        former_worst_cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

type HostileOutputRow = (&'static str, DecoderKind, &'static str, &'static str, &'static str);

fn outputs_from_rows(scope: BufferedPart, rows: &[HostileOutputRow]) -> Vec<HostileOutput> {
    rows.iter()
        .map(|(name, reader, before, unit, after)| {
            hostile_output(name, *reader, scope, *before, RepeatedUnit::Same(unit.as_bytes()), after)
        })
        .collect()
}

fn hostile_output(
    name: &'static str,
    reader: DecoderKind,
    scope: BufferedPart,
    before: impl Into<String>,
    unit: RepeatedUnit,
    after: &'static str,
) -> HostileOutput {
    HostileOutput { name, reader, scope, before: before.into(), unit, after }
}

/// One line without edits.
fn line_outputs() -> Vec<HostileOutput> {
    use DecoderKind::{Keyed, Orchestrator, Worker};
    let mut all = outputs_from_rows(
        BufferedPart::Line,
        &[
            ("letters without a newline", Worker, "", "x", ""),
            ("Hangul without a newline", Worker, "", "뛰", ""),
            ("one character with combining marks", Worker, "e", "\u{301}", "\n"),
            ("many characters with a combining mark", Worker, "", "e\u{301}", "\n"),
            ("joiners alone", Worker, "", "\u{200d}", "\n"),
            ("tabs", Worker, "", "\t", ""),
            ("brackets", Worker, "", "[", ""),
            ("brackets of an orchestrator", Orchestrator, "", "[", "\n"),
            ("brackets with gaps", Orchestrator, "", "[                    ", "\n"),
            ("half questions on a line", Orchestrator, "", "[NEED_HUMAN", "\n"),
            ("open questions on a line", Orchestrator, "", "[NEED_HUMAN: ", "\n"),
            ("whole questions on a line", Orchestrator, "", "[NEED_HUMAN: x] ", "\n"),
            ("questions with keys on a line", Keyed, "", "[NEED_HUMAN k3f9: x]", "\n"),
            ("questions of a worker", Worker, "a ", "[NEED_HUMAN: x] ", "\n"),
            ("deep brackets in a question", Orchestrator, "[NEED_HUMAN: ", "[", "\n\n"),
            ("closing brackets after a question", Orchestrator, "[NEED_HUMAN: [[[", "[]", "\n\n"),
            ("backticks", Orchestrator, "", "`a``b```", " [NEED_HUMAN: x]\n"),
            ("questions in backticks", Orchestrator, "", "` [NEED_HUMAN: x] `` ", "\n"),
            ("a title without an end", Worker, "\x1b]0;", "x", ""),
            ("parameters without an end", Worker, "\x1b[", "1;", ""),
            ("C1 controls", Worker, "", "\u{9b}1m\u{85}", "\n"),
            ("colours between letters", Worker, "", "xxxxxxx\x1b[m", "\n"),
            ("quotation marks", Worker, "", "> ", "\n"),
            ("boxes before a message", Worker, "", "│ ", "DONE:T1.3\n"),
            ("bold type", Worker, "", "**[STEP_COMPLETE", "\n"),
            ("equals signs", Worker, "", "=", " PHASE 1 COMPLETE ===\n"),
            ("a phase with many digits", Worker, "=== PHASE ", "1", " COMPLETE ===\n"),
            ("a long tag", Worker, "[INVOKE:", "x", "]\n"),
            ("a fence's long info", Worker, "```", "x", "\n"),
            ("a fence of many backticks", Worker, "", "`", "\n"),
        ],
    );
    let longer_runs = |index: usize| "`".repeat(1 + index % 200) + "[NEED_HUMAN: x]";
    all.extend([
        hostile_output(
            "ever longer backticks",
            Orchestrator,
            BufferedPart::Line,
            "",
            RepeatedUnit::Counted(longer_runs),
            "\n",
        ),
        hostile_output(
            "bytes that are not UTF-8",
            Worker,
            BufferedPart::Line,
            "",
            RepeatedUnit::Same(b"\xff\xe3\x81"),
            "\n",
        ),
    ]);
    all
}

/// One line that is edited while it is written.
fn edited_line_outputs() -> Vec<HostileOutput> {
    use DecoderKind::Worker;
    // Longer than the width of a terminal.
    let long = || "x".repeat(1100);
    let mut all = outputs_from_rows(
        BufferedPart::Line,
        &[
            ("a spinner without a newline", Worker, "", "\r⠋ Working… 12%\x1b[K", ""),
            ("returns", Worker, "x", "\r", "\n"),
            ("returns and letters", Worker, "", "\rx", "\n"),
            ("backspaces", Worker, "x", "x\x08", "\n"),
            ("half overwritten wide characters", Worker, "", "한\x08x", "\n"),
            ("overwritten tabs", Worker, "", "\tx\ry", "\n"),
            ("overwritten clusters", Worker, "", "e\u{301}\x08", "\n"),
            ("columns there and back", Worker, "", "\x1b[1024Gx\x1b[1Gx", "\n"),
        ],
    );
    let storms: [(&str, &'static [u8]); 7] = [
        ("inserted blanks", b"\r\x1b[@"),
        ("many inserted blanks", b"\r\x1b[999@"),
        ("deleted cells", b"\r\x1b[P"),
        ("inserted and deleted", b"\r\x1b[@\x1b[P"),
        ("erased cells", b"\r\x1b[999X"),
        ("erased to the start", b"\x1b[1K"),
        ("gaps", b"\x1b[2K\x1b[1024Gx"),
    ];
    all.extend(storms.map(|(name, unit)| {
        hostile_output(name, Worker, BufferedPart::Edits, long(), RepeatedUnit::Same(unit), "\n")
    }));
    all
}

/// One keyword line, or a task with its lines.
fn keyword_line_outputs() -> Vec<HostileOutput> {
    use DecoderKind::Worker;
    let mut all = outputs_from_rows(
        BufferedPart::Line,
        &[
            ("many tasks are ready", Worker, "READY:T1", ",T1", "\n"),
            ("many groups are ready", Worker, "READY:T1", "|T1", "\n"),
            ("one field again and again", Worker, "DONE:T1", ":a=b", "\n"),
            ("fields of a failure", Worker, "FAIL:T1", ":a=b", "\n"),
            ("a long reason", Worker, "FAIL:T1:", "x", "\n"),
            ("a reason of one character", Worker, "FAIL:T1:e", "\u{301}", "\n"),
            ("a long id", Worker, "DONE:T1", ".1", "\n"),
            ("a long payload", Worker, "CUSTOM:NOTE:", "x ", "\n"),
            ("deep META", Worker, "TASK_ID:T1.3\nMETA:", "{\"a\":", "\n"),
            ("META of many numbers", Worker, "TASK_ID:T1.3\nMETA:{\"a\":[0", ",0", "]}\n"),
        ],
    );
    let field = |index: usize| format!(":{}=v", number_as_letters(index));
    all.push(hostile_output(
        "many fields",
        Worker,
        BufferedPart::Line,
        "DONE:T1",
        RepeatedUnit::Counted(field),
        "\n",
    ));
    all
}

/// The body of one tag, or one question.
fn body_outputs() -> Vec<HostileOutput> {
    use DecoderKind::{Orchestrator, Worker};
    const ASK: &str = "[ASK_USER]\nquestion: x\n";
    let mut all = outputs_from_rows(
        BufferedPart::Body,
        &[
            ("a body of lines", Worker, "[STEP_COMPLETE]\n", "some words here\n", ""),
            ("a body of short lines", Worker, "[INVOKE:PO]\n", "x\n", "context: y\n"),
            ("a body of blank lines", Worker, "[STEP_COMPLETE]\n", "\n", ""),
            ("a body of one line", Worker, "[STEP_COMPLETE]\n", "x", ""),
            ("a body of one line of wide characters", Worker, "[STEP_COMPLETE]\n", "한", ""),
            ("a body of one line of tabs", Worker, "[STEP_COMPLETE]\n", "\t", ""),
            ("a body of one line of clusters", Worker, "[STEP_COMPLETE]\n", "e\u{301}", ""),
            ("a body of one coloured line", Worker, "[STEP_COMPLETE]\n", "x\x1b[m", "\n"),
            ("a body of one edited line", Worker, "[STEP_COMPLETE]\nx\r", "x\x1b[m", "\n"),
            ("a body with a fence", Worker, "[INVOKE:PO]\n```\n", "text\n", "```\n"),
            ("a body of closing tags", Worker, "[ASK_USER]\n", "[/ERROR]\n", ""),
            ("a body of blocks that are none", Worker, "[INVOKE:PO]\nx\n", "[ERROR]\n\n", ""),
            ("a body with a tag and blank lines", Worker, "[INVOKE:PO]\nx\n[ERROR]\n", "\n", "x\n"),
            ("one key again and again", Worker, ASK, "question: x\n", ""),
            ("context of blank lines", Worker, "[ASK_USER]\nquestion: x\ntype: text\n", "\n", "x\n"),
            ("context of lines", Worker, "[ASK_USER]\nquestion: x\ntype: text\n", "x\n", ""),
            ("options as JSON", Worker, "[ASK_USER]\nquestion: x\noptions: [1", ",\n1", "]\n"),
            ("options in quotes", Worker, "[ASK_USER]\nquestion: x\noptions: ['a'", ",\n'a'", "]\n"),
            ("quotes without an end", Worker, "[ASK_USER]\nquestion: x\noptions: [", "'a\n", "\n"),
            ("both quotes without an end", Worker, "[ASK_USER]\nquestion: x\noptions: [", "'a,\"b,\n", "]\n"),
            ("quotes with gaps", Worker, "[ASK_USER]\nquestion: x\noptions: [", "'          \n", "]\n"),
            ("bare options", Worker, "[ASK_USER]\nquestion: x\noptions: [a", ",\na", "]\n"),
            ("brackets of options", Worker, "[ASK_USER]\nquestion: x\noptions: ", "[[[[[[[\n", "]\n"),
            ("options as lines", Worker, "[ASK_USER]\nquestion: x\noptions:\n", "- a\n", "default: zz\n"),
            ("options with commas", Worker, "[ASK_USER]\nquestion: x\noptions:\n", "a,\n", "default: zz\n"),
            ("deep JSON", Worker, "[DELIVER_RESULT:PO]\ntype: json\ncontent:\n", "[\n", ""),
            ("long JSON", Worker, "[DELIVER_RESULT:PO]\ntype: json\ncontent: [0", ",\n0", "]\n"),
            ("progress", Worker, "[PROGRESS]\nprogress: 0.1\n", "task: x\nx\n", ""),
            ("a question of lines", Orchestrator, "[NEED_HUMAN: ", "word word\n", "]\n"),
            ("a question with brackets", Orchestrator, "[NEED_HUMAN: [[", "word] [word\n", "]]]\n"),
            ("a question of deep brackets", Orchestrator, "[NEED_HUMAN: ", "[[[[[[[[\n", "]\n\n"),
            ("documents", Worker, "=== PHASE 1 COMPLETE ===\nDocuments created:\n", "- a\n", ""),
        ],
    );
    let boxed = || "│ ".repeat(8) + "[STEP_COMPLETE]\n";
    all.push(hostile_output(
        "a body in many boxes",
        Worker,
        BufferedPart::Body,
        boxed(),
        RepeatedUnit::Same("│ │ │ │ │ │ │ │ x │\n".as_bytes()),
        "",
    ));
    all
}

fn block_outputs() -> Vec<HostileOutput> {
    use DecoderKind::Worker;
    const ERROR: &str = "[ERROR]\ntype: fatal\nmessage: x\nrecovery: notify_user\n";
    const QUESTION: &str = "[USER_QUESTION]\ncategory: choice\nquestion: x\nrequired: true\noptions:\n";
    let mut all = outputs_from_rows(
        BufferedPart::Body,
        &[
            ("one key of a block again and again", Worker, ERROR, "k: v\n", "[/ERROR]\n"),
            ("a long value", Worker, ERROR, "  x\n", "[/ERROR]\n"),
            ("blank lines in a block", Worker, ERROR, "\n", "[/ERROR]\n"),
            ("blank lines in a value", Worker, "[ERROR]\ntype: fatal\n x\n", "\n", "[/ERROR]\n"),
            ("items", Worker, QUESTION, "- a\n", "[/USER_QUESTION]\n"),
            ("one long item", Worker, QUESTION, "  x\n", "[/USER_QUESTION]\n"),
            ("deeper closing tags", Worker, ERROR, "  [/ERROR]\n", "[/ERROR]\n"),
            ("a block without an end", Worker, ERROR, "  x\n", ""),
        ],
    );
    let key = |index: usize| format!("{}:\n", number_as_letters(index));
    all.push(hostile_output(
        "many keys",
        Worker,
        BufferedPart::Body,
        ERROR,
        RepeatedUnit::Counted(key),
        "[/ERROR]\n",
    ));
    all
}

fn stream_outputs() -> Vec<HostileOutput> {
    use DecoderKind::{Keyed, Orchestrator, Worker};
    outputs_from_rows(
        BufferedPart::Stream,
        &[
            ("text", Worker, "", "some words of a log\n", ""),
            ("blank lines", Worker, "", "\n", ""),
            ("spinners", Worker, "", "\r⠋ Working… 12%\x1b[K\r\x1b[2Kdone\n", ""),
            ("tags", Worker, "", "[STEP_COMPLETE]\n", ""),
            ("tags without a key", Keyed, "", "[STEP_COMPLETE]\n", ""),
            ("keyword lines", Worker, "", "DONE:T1.3\n", ""),
            ("near misses", Worker, "", "[Ask_User]\n", ""),
            ("tags without an end", Worker, "", "[ASK_USER\n", ""),
            ("open questions", Orchestrator, "", "[NEED_HUMAN: a\n", ""),
            ("questions and blank lines", Orchestrator, "", "[NEED_HUMAN: a]\n\n", ""),
            ("blocks that are none", Worker, "", "[ERROR]\n", ""),
            ("a tag and blank lines", Worker, "[ERROR]\n", "\n", "x\n"),
            ("fences", Worker, "", "```\nDONE:T1.3\n```\n", ""),
            ("a fence of text", Worker, "```\n", "text\n", ""),
            ("a fence of blank lines", Worker, "```\n", "\n", ""),
            ("a fence of messages", Worker, "```\n", "DONE:T1.3\n", "text\n```\n"),
            ("a fence of ready tasks", Worker, "```\n", "READY:T1,T1\n", "```\n"),
            ("a fence of invalid messages", Worker, "```\n", "[ASK_USER]\n", "```\n"),
            ("phases", Worker, "", "=== PHASE 1 COMPLETE ===\n", ""),
            ("tasks", Worker, "", "TASK_ID:T1.3\nWORKTREE:a\nMETA:{}\n", ""),
        ],
    )
}

fn screen_outputs() -> Vec<HostileOutput> {
    use DecoderKind::Screen;
    outputs_from_rows(
        BufferedPart::Screen,
        &[
            ("a screen of lines", Screen, "", "some words of a log\r\n", ""),
            ("a screen of short lines", Screen, "", "x\r\n", ""),
            ("a screen of messages", Screen, "", "DONE:T1.3\r\n", ""),
            ("a screen without newlines", Screen, "", "x", ""),
            ("a screen of wide characters", Screen, "", "한", ""),
            ("a screen of combining marks", Screen, "", "e\u{301}\u{301}\u{301}", ""),
            ("a screen of colours", Screen, "", "\x1b[31mx\x1b[0m", ""),
            ("a screen's title without an end", Screen, "\x1b]0;", "x", ""),
            ("a screen that is cleared", Screen, "", "DONE:T1.3\r\nx\r\ny\x1b[2J\x1b[H", ""),
            ("a screen painted in place", Screen, "", "\x1b[1;1HDONE:T1.3\x1b[50;1Hready", ""),
            ("two screens", Screen, "", "\x1b[?1049hDONE:T1.3\r\n\x1b[?1049l", ""),
        ],
    )
}

/// Encodes a number as letters.
fn number_as_letters(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

/// Output that once took quadratic time or unbounded memory.
fn former_worst_cases() -> Vec<HostileOutput> {
    use DecoderKind::{Orchestrator, Worker};
    let mut all = outputs_from_rows(
        BufferedPart::Line,
        &[
            ("abandoned titles", Worker, "", "\x1b]0;x", "\n"),
            ("titles before text", Worker, "", "\x1b]0;x\x07", "text\n"),
            ("abandoned sequences", Worker, "", "\x1b[1", "\n"),
            ("modes before text", Worker, "", "\x1b[?25l", "text\n"),
            ("erasing before text", Worker, "", "\x1b[K", "text\n"),
        ],
    );
    all.extend(outputs_from_rows(
        BufferedPart::Line,
        &[(
            "questions in a box with a far border",
            Orchestrator,
            "│ ",
            "[NEED_HUMAN: x]                ",
            "│\n",
        )],
    ));
    all.extend(outputs_from_rows(
        BufferedPart::Body,
        &[(
            "lists of documents",
            Worker,
            "=== PHASE 1 COMPLETE ===\n",
            "Phase:\nDocuments created: [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]\n",
            "",
        )],
    ));
    all
}
