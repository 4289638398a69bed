//! TypeScript declarations of all types of the HTTP interface.
//!
//! They are generated from the Rust types by `cargo xtask types`, and are not part of the program.

use std::{any::TypeId, collections::BTreeMap};

use ts_rs::{Config, TS, TypeVisitor};
use views::{Layout, RowOf, Schedule};

use crate::{
    bodies::{
        CommandAccepted, CommandRequest, ConversationTurn, DamagedRunEntry, EventEntry, InboxEntry,
        InputLine, OutputChunk, PlanCheckRequest, PlanFile, PlanFileContent, PlanRunCreated,
        PlanStartPreview, PlanStartRequest, ProjectRow, QuestionEntry, RunCreated, ServerStatus,
        SessionRecords, StopRequest, TaskOverview, TerminalClientMessage, TerminalServerMessage,
    },
    change_feed::{RowChange, SessionActivity},
    problem::Problem,
    routes::RunRows,
};

/// Two Rust types have the same name in TypeScript.
#[derive(Debug, thiserror::Error)]
#[error("two types have the name {name} in TypeScript; rename one of them: ts(rename = \"…\")")]
pub struct DuplicateTypeName {
    pub name: String,
}

/// Returns the declarations of all types of the HTTP interface by name.
pub fn typescript_declarations() -> Result<BTreeMap<String, String>, DuplicateTypeName> {
    // JavaScript numbers are exact up to 2^53, more than any position, time or size.
    let mut collector = DeclarationCollector {
        config: Config::new().with_large_int("number"),
        types: BTreeMap::new(),
        duplicate: None,
    };
    collector.visit::<RowOf>();
    collector.visit::<RunRows<'static>>();
    collector.visit::<(Layout, Schedule)>();
    collector.visit::<(RowChange<'static>, SessionActivity<'static>, Problem)>();
    collector.visit::<(ServerStatus, StopRequest, ProjectRow)>();
    collector.visit::<(RunCreated, CommandRequest, CommandAccepted, InboxEntry, QuestionEntry)>();
    collector.visit::<DamagedRunEntry>();
    collector.visit::<(TaskOverview, ConversationTurn, EventEntry)>();
    collector
        .visit::<(OutputChunk, SessionRecords, InputLine, TerminalServerMessage, TerminalClientMessage)>();
    collector.visit::<(
        PlanCheckRequest,
        PlanFile,
        PlanFileContent,
        PlanStartRequest,
        PlanRunCreated,
        PlanStartPreview,
        plan::PlanReport<'static>,
    )>();
    collector
        .visit::<(sessions::detect::AgentListing, config::KeyRow, domain::LandReport, domain::CleanupReport)>(
        );
    match collector.duplicate {
        Some(name) => Err(DuplicateTypeName { name }),
        None => Ok(collector.types.into_iter().map(|(name, (_, declaration))| (name, declaration)).collect()),
    }
}

struct DeclarationCollector {
    config: Config,
    types: BTreeMap<String, (TypeId, String)>,
    duplicate: Option<String>,
}

impl TypeVisitor for DeclarationCollector {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Types without an output path are built in: lists, strings, numbers.
        if T::output_path().is_some() {
            let name = T::ident(&self.config);
            if let Some((existing, _)) = self.types.get(&name) {
                if *existing != TypeId::of::<T>() {
                    self.duplicate = Some(name);
                }
                return;
            }
            let docs = T::docs().unwrap_or_default();
            let declaration = format!("{docs}export {}", T::decl(&self.config));
            self.types.insert(name, (TypeId::of::<T>(), declaration));
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}
