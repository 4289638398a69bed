//! What goes over the line, as TypeScript declares it.
//!
//! The declarations come from the types themselves, so that the page can't believe anything else. `cargo xtask types`
//! writes them down; nothing of this is in the program.

use std::{any::TypeId, collections::BTreeMap};

use ts_rs::{Config, TS, TypeVisitor};
use views::{Layout, RowOf, Schedule};

use crate::{
    bodies::{
        Accepted, CommandRequest, HappenedEvent, InboxItem, PendingQuestion, PlanContent, PlanFile,
        PlanStart, PlanStarted, PlanText, ProjectRow, Said, SessionRecords, Started, Status, StopRequest,
        TaskWhole, TerminalClientMessage, TerminalServerMessage, Typed, Written,
    },
    feed::{Changed, Glimpsed},
    problem::Problem,
    routes::RunRows,
};

/// Two types with one name, which TypeScript can't tell apart.
#[derive(Debug, thiserror::Error)]
#[error("two types are called {name} in TypeScript; give one of them another name: ts(rename = \"…\")")]
pub struct SameName {
    /// The name.
    pub name: String,
}

/// Returns the declarations of all types that go over the line, by their names.
pub fn declarations() -> Result<BTreeMap<String, String>, SameName> {
    // A number of JavaScript is exact up to 2^53: more than any place in a log, time or size will be.
    let mut found =
        Found { config: Config::new().with_large_int("number"), types: BTreeMap::new(), twice: None };
    found.visit::<RowOf>();
    found.visit::<RunRows<'static>>();
    found.visit::<(Layout, Schedule)>();
    found.visit::<(Changed<'static>, Glimpsed<'static>, Problem)>();
    found.visit::<(Status, StopRequest, ProjectRow)>();
    found.visit::<(Started, CommandRequest, Accepted, InboxItem, PendingQuestion)>();
    found.visit::<(TaskWhole, Said, HappenedEvent)>();
    found.visit::<(Written, SessionRecords, Typed, TerminalServerMessage, TerminalClientMessage)>();
    found.visit::<(PlanText, PlanFile, PlanContent, PlanStart, PlanStarted, plan::PlanReport<'static>)>();
    found.visit::<(sessions::detect::AgentListing, config::KeyRow, runtime::LandReport, runtime::CleanupReport)>();
    match found.twice {
        Some(name) => Err(SameName { name }),
        None => Ok(found.types.into_iter().map(|(name, (_, declaration))| (name, declaration)).collect()),
    }
}

struct Found {
    config: Config,
    types: BTreeMap<String, (TypeId, String)>,
    twice: Option<String>,
}

impl TypeVisitor for Found {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // What has no file of its own is none of ours: a list, a text, a number.
        if T::output_path().is_some() {
            let name = T::ident(&self.config);
            if let Some((known, _)) = self.types.get(&name) {
                if *known != TypeId::of::<T>() {
                    self.twice = Some(name);
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
