//! What the beginning of a line says: a tag, a marker, a thin line, a fence, a near miss, or text.
//!
//! Looks at one line alone. Whether it counts where it stands is for `assemble`.

use domain::AgentMessage;

use crate::{
    decoration::{self, Lead},
    fence::Fence,
    line_start::LineStart,
    near,
    options::{Options, Pass},
    tag::{self, Tag, TagName},
    thin::{self, Thin},
};

/// What a line begins with, and where.
#[derive(Debug)]
pub(crate) struct Head<'t> {
    pub(crate) lead: Lead,
    pub(crate) what: What<'t>,
}

/// What a line begins with.
#[derive(Debug)]
pub(crate) enum What<'t> {
    Text,
    Blank,
    /// A tag of dialect A, and what stands behind it.
    Open {
        name: TagName,
        target: Target,
        rest: &'t str,
        pass: Pass,
    },
    /// A tag of dialect B, alone on its line.
    Block {
        name: TagName,
        pass: Pass,
    },
    /// A closing tag, alone on its line.
    Close {
        name: TagName,
        pass: Pass,
    },
    /// `=== PHASE N COMPLETE ===`
    Marker {
        phase: domain::PhaseNumber,
        pass: Pass,
    },
    /// A thin line.
    Thin {
        said: Result<AgentMessage, Refusal>,
        pass: Pass,
    },
    /// The first line of a TASK.
    TaskStart {
        request: domain::TaskRequest,
        pass: Pass,
    },
    /// A code fence: it opens one, or closes the one that is open.
    Fence(Fence),
    /// Something that its writer may have taken for a message.
    Near(&'static str),
}

/// To whom a tag is addressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    None,
    Agent(domain::AgentName),
    /// The tag wants a name and has none, or one that is no name.
    Broken(String),
}

/// Why a message is none: the protocol it belongs to and the first rule it breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) protocol: &'static str,
    pub(crate) error: String,
}

impl<'t> Head<'t> {
    pub(crate) fn of(text: &'t str, options: &Options) -> Self {
        let lead = Lead::of(text);
        let what = what(text, &lead, options);
        Self { lead, what }
    }
}

fn what<'t>(text: &'t str, lead: &Lead, options: &Options) -> What<'t> {
    let rest = &text[lead.at..];
    match LineStart::of(rest.as_bytes()) {
        LineStart::Empty if text.trim().is_empty() => What::Blank,
        LineStart::Empty | LineStart::Text => What::Text,
        LineStart::Fence => Fence::behind(text, lead).map_or(What::Text, What::Fence),
        // A line that was added or taken away in a diff is a quotation.
        LineStart::Tag | LineStart::Marker | LineStart::Keyword if lead.is_diff => What::Text,
        LineStart::Tag => bracket(lead.without_border(rest), lead, options),
        LineStart::Marker => marker(decoration::trim_end(rest), options),
        LineStart::Keyword => thin_line(decoration::trim_end(lead.without_border(rest)), options),
    }
}

fn bracket<'t>(rest: &'t str, lead: &Lead, options: &Options) -> What<'t> {
    let Some(Tag { name, is_closing, target, word, behind }) = Tag::of(rest, options) else {
        return near::bracket(rest).map_or(What::Text, What::Near);
    };
    let pass = options.pass(word);
    let behind = if lead.is_bold { behind.strip_prefix("**").unwrap_or(behind) } else { behind };
    let is_alone = decoration::trim_end(behind).is_empty();
    match (is_closing, name.is_block()) {
        (true, _) if is_alone => What::Close { name, pass },
        (true, _) => What::Text,
        (false, true) if is_alone => What::Block { name, pass },
        (false, true) => near::block_with_text(name).map_or(What::Text, What::Near),
        (false, false) => {
            let rest = if is_alone { "" } else { behind.trim() };
            // The closing `**` of a line that is bold as a whole.
            let inner = rest.strip_suffix("**").filter(|inner| lead.is_bold && !inner.contains("**"));
            let rest = inner.map_or(rest, str::trim_end);
            What::Open { name, target, rest, pass }
        }
    }
}

fn marker<'t>(rest: &str, options: &Options) -> What<'t> {
    match tag::marker(rest) {
        Some((phase, word)) => What::Marker { phase, pass: options.pass(word) },
        None => near::marker(rest).map_or(What::Text, What::Near),
    }
}

fn thin_line<'t>(rest: &str, options: &Options) -> What<'t> {
    match thin::read(rest, options) {
        Some((Thin::Said(said), pass)) => What::Thin { said, pass },
        Some((Thin::TaskStart(request), pass)) => What::TaskStart { request, pass },
        None => near::thin(rest).map_or(What::Text, What::Near),
    }
}
