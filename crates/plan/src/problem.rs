//! The problems of plan files, as data. [`en`] and [`ko`] hold their sentences.

use std::ops::RangeInclusive;

use domain::{Locale, PhaseNumber};

use crate::{
    diagnostic::{DiagnosticCode, Severity},
    format::PlanFormat,
    graph::Cycle,
};

mod en;
mod ko;

/// A problem or ambiguity at a position of a plan file, with the values that its sentence names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The file could not be read. The sentences come from the caller.
    Unreadable {
        code: DiagnosticCode,
        message: String,
        hint: String,
    },
    TooManyMarks {
        max: usize,
    },
    FileTooLarge {
        mib: usize,
    },
    NotUtf8,
    Utf16,
    EmptyFile,
    NoTasks {
        format: Option<PlanFormat>,
        nearest: Option<NearestLine>,
    },
    EmptyTag {
        tag: String,
        others: Vec<String>,
    },
    UnknownTag {
        tag: String,
        others: Vec<String>,
    },
    OtherTags {
        tag: String,
        others: Vec<String>,
    },
    MoreProblems {
        n: usize,
        has_error: bool,
    },

    DuplicateId {
        id: String,
        first_line: usize,
        are_done: bool,
    },
    NotATaskId {
        text: String,
    },
    NoId,
    PhaseNumberTooLarge {
        id: String,
    },

    MissingDependency {
        id: String,
        ids: Option<RangeInclusive<String>>,
    },
    MissingRange {
        first: String,
        last: String,
        ids: Option<RangeInclusive<String>>,
    },
    WrongPhase {
        id: String,
        phase: PhaseNumber,
        written: PhaseNumber,
    },
    AmbiguousId {
        id: String,
        candidates: Vec<String>,
    },
    TooManyDependencies {
        limit: usize,
    },
    CircularDependency {
        cycle: Cycle,
        are_done: bool,
    },
    NotAPhase {
        text: String,
    },
    MissingPhase {
        number: PhaseNumber,
    },

    UnknownKey {
        name: String,
        known: &'static str,
    },
    InvalidValue {
        field: ValueField,
        text: String,
    },
    /// A task whose status takes it out of the plan.
    Deferred {
        id: String,
        title: String,
    },
    /// Dependencies that a diagram shows, because no task names any.
    OrderFromDiagram {
        n: usize,
    },
    /// A sentence in place of a status.
    UnclearStatus {
        text: String,
    },
    UnknownComplexity {
        text: String,
    },
    PhaseWithoutNumber {
        text: String,
    },
    CellCount {
        n_cells: usize,
        n_columns: usize,
        has_bar: bool,
    },
    MalformedTable {
        expected: String,
    },

    InvalidJson {
        reason: String,
    },
    NotATask,
    NotAString {
        field: String,
    },
    NotAList {
        field: String,
    },
    NestedSubtasks,

    BoxesWithoutId {
        n: usize,
        example: &'static str,
    },
    ReadAsDependency {
        text: String,
        id: String,
    },
    NotRead {
        line: String,
        n_more: usize,
    },
    ListedAgain {
        line: String,
        id: String,
        first_line: usize,
        n_more: usize,
    },
    GroupHeading {
        id: String,
        members: Vec<String>,
    },
    /// A task without a status whose check boxes are all ticked.
    AllBoxesTicked {
        id: String,
    },
    ParentIsTask {
        id: String,
        children: Vec<String>,
    },
    ParentIsContext {
        id: String,
        children: Vec<String>,
    },
    AssignedIds {
        first: String,
        last: String,
    },
    InNoWave {
        id: String,
    },
    ForwardDependency {
        from: String,
        to: String,
    },
    NotAnAgent {
        key: &'static str,
        text: String,
    },
}

/// A field whose values are validated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueField {
    Priority,
    TaskMasterPriority,
    Timeout,
    Budget,
    Status,
}

/// The first line of a file that nearly is a task, and how to write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearestLine {
    pub line: usize,
    pub text: String,
    pub rewritten: String,
}

/// The sentences about a problem in one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProblemText {
    /// One line, without a full stop.
    pub message: String,
    /// What to write instead, if known.
    pub hint: Option<String>,
}

impl ProblemText {
    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: Some(hint.into()) }
    }

    fn without_hint(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }
}

impl Problem {
    pub fn text(&self, locale: Locale) -> ProblemText {
        match locale {
            Locale::En => en::text(self),
            Locale::Ko => ko::text(self),
        }
    }

    pub(crate) fn code(&self) -> DiagnosticCode {
        match self {
            Self::Unreadable { code, .. } => *code,
            Self::EmptyFile | Self::NoTasks { .. } | Self::EmptyTag { .. } | Self::UnknownTag { .. } => {
                DiagnosticCode::TasksNotFound
            }
            Self::MissingDependency { .. }
            | Self::MissingRange { .. }
            | Self::WrongPhase { .. }
            | Self::AmbiguousId { .. }
            | Self::MissingPhase { .. } => DiagnosticCode::MissingDep,
            Self::CircularDependency { .. } => DiagnosticCode::CircularDep,
            Self::MoreProblems { has_error: false, .. }
            | Self::UnknownKey { .. }
            | Self::UnclearStatus { .. }
            | Self::UnknownComplexity { .. }
            | Self::PhaseWithoutNumber { .. }
            | Self::OtherTags { .. }
            | Self::NestedSubtasks
            | Self::BoxesWithoutId { .. } => DiagnosticCode::Unclear,
            Self::ReadAsDependency { .. }
            | Self::Deferred { .. }
            | Self::OrderFromDiagram { .. }
            | Self::NotRead { .. }
            | Self::ListedAgain { .. }
            | Self::GroupHeading { .. }
            | Self::AllBoxesTicked { .. }
            | Self::ParentIsTask { .. }
            | Self::ParentIsContext { .. }
            | Self::AssignedIds { .. }
            | Self::InNoWave { .. }
            | Self::ForwardDependency { .. }
            | Self::NotAnAgent { .. } => DiagnosticCode::Note,
            Self::FileTooLarge { .. }
            | Self::TooManyMarks { .. }
            | Self::NotUtf8
            | Self::Utf16
            | Self::MoreProblems { has_error: true, .. }
            | Self::DuplicateId { .. }
            | Self::NotATaskId { .. }
            | Self::NoId
            | Self::PhaseNumberTooLarge { .. }
            | Self::TooManyDependencies { .. }
            | Self::NotAPhase { .. }
            | Self::InvalidValue { .. }
            | Self::CellCount { .. }
            | Self::MalformedTable { .. }
            | Self::InvalidJson { .. }
            | Self::NotATask
            | Self::NotAString { .. }
            | Self::NotAList { .. } => DiagnosticCode::ParseFail,
        }
    }

    pub(crate) fn severity(&self) -> Severity {
        match (self, self.code()) {
            (
                Self::DuplicateId { are_done: true, .. } | Self::CircularDependency { are_done: true, .. },
                _,
            )
            | (_, DiagnosticCode::Unclear) => Severity::Warning,
            (_, DiagnosticCode::Note) => Severity::Note,
            (
                _,
                DiagnosticCode::TasksNotFound
                | DiagnosticCode::ParseFail
                | DiagnosticCode::MissingDep
                | DiagnosticCode::CircularDep,
            ) => Severity::Error,
        }
    }
}

/// Returns up to eight names, and the number of the others.
fn join_up_to_limit(names: &[String], and_more: impl Fn(usize) -> String) -> String {
    const NAMES_MAX: usize = 8;
    let shown = names.iter().take(NAMES_MAX).map(|name| crate::text::truncate_for_message(name));
    let more = names.len().checked_sub(NAMES_MAX + 1).map(|rest| and_more(rest + 1));
    shown.chain(more).collect::<Vec<_>>().join(", ")
}

/// Returns how to write a task in a format, as an example line.
fn example_line(format: PlanFormat) -> &'static str {
    match format {
        PlanFormat::TasksMd => "### T1: …",
        PlanFormat::Checklist => "- [ ] T001 …",
        PlanFormat::Taskmaster => "{\"tasks\": [{\"id\": 1, \"title\": \"…\"}]}",
    }
}
