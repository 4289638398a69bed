//! Carries out what the engine orders, and reports what came of it.
//!
//! Nothing here decides. Every act may be ordered again after a restart, and then finds what the first try left: a session
//! by its name, a check by its order's number, a merge by its commit.

mod brief;
mod bring;
mod full;
mod gate;
mod job;
mod leash;
mod merge;
mod process;
mod room;
mod session;
mod site;
mod turns;
mod wake_up;
mod watch;
mod worktree_removal;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, mpsc::SyncSender},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use domain::{CheckpointId, CheckpointOutcome, Command, EffectId, ParkMode, RunId, SessionId, TaskId};
use engine::Effect;
use views::{SessionRow, TaskRow};

use crate::{
    Kept,
    crank::Mail,
    git::{Git, Land, Landed},
    host::{AfterStop, HostError, Shared},
    outfit::Outfit,
};
use brief::brief;
use leash::Leash;
pub(crate) use room::is_taken as is_room_taken;
use session::{SessionCommand, SessionHandle, SessionStop, Situation};
use site::{Site, chain};
use turns::Turns;
use watch::Watch;
use worktree_removal::WorktreeRemoval;

/// The world of one run.
pub(crate) struct World {
    site: Arc<Site>,
    posts: BTreeMap<SessionId, SessionHandle>,
    jobs: Vec<Working>,
    watch: Option<Watch>,
    room: Option<Looking>,
    removal: Option<WorktreeRemoval>,
}

/// Something that is done beside the loop.
struct Working {
    effect: EffectId,
    leash: Leash,
    thread: JoinHandle<()>,
}

/// Somebody who looks for room.
struct Looking {
    thread: JoinHandle<()>,
    since: Instant,
}

/// How often it is looked for.
pub(crate) const LOOK_FOR_ROOM: Duration = Duration::from_secs(2);

impl World {
    pub(crate) fn open(
        shared: Arc<Shared>,
        run: RunId,
        outfit: Outfit,
        mail: SyncSender<Mail>,
    ) -> Result<Self, HostError> {
        let git = Git::open(&shared.data, &run, &outfit)?;
        if let Some(git) = &git {
            git.begin()?;
        }
        let site = Arc::new(Site { shared, run, outfit, git, turns: Turns::default(), mail });
        Ok(Self { site, posts: BTreeMap::new(), jobs: Vec::new(), watch: None, room: None, removal: None })
    }

    /// Finds the sessions again that a run left.
    pub(crate) fn take_up(&mut self, kept: &Kept) {
        self.note_tasks(kept.views().rows().tasks.iter());
        kept.views().rows().sessions.iter().for_each(|session| self.note_session(session));
        let woken: BTreeSet<SessionId> = kept
            .outstanding()
            .iter()
            .filter_map(|(_, effect)| match effect {
                Effect::WakeSession { session, from: ParkMode::Cold } => Some(*session),
                _ => None,
            })
            .collect();
        for living in kept.run().live_sessions() {
            let situation = if living.is_starting {
                // Its start is ordered again.
                continue;
            } else if living.is_cold || woken.contains(&living.session) {
                Situation::Cold
            } else {
                Situation::Working
            };
            self.post(living.session, situation, kept);
        }
    }

    /// Looks which files unfinished tasks have changed in common. What is found is reported by mail.
    pub(crate) fn look_for_overlaps(&mut self, kept: &Kept) {
        Watch::look(&mut self.watch, &self.site, kept);
    }

    /// Looks now and then whether there is room for worktrees again, where tasks wait for it.
    pub(crate) fn look_for_room(&mut self, kept: &Kept) {
        let is_early =
            |looking: &Looking| !looking.thread.is_finished() || looking.since.elapsed() < LOOK_FOR_ROOM;
        if !kept.run().is_disk_budget_exhausted() || self.room.as_ref().is_some_and(is_early) {
            return;
        }
        let site = Arc::clone(&self.site);
        let thread = thread::Builder::new().name("room".to_owned()).spawn(move || site.look_for_room());
        // Without a thread it looks the next time.
        self.room = thread.ok().map(|thread| Looking { thread, since: Instant::now() });
    }

    /// Notes how tasks stand, for whoever looks for room.
    pub(crate) fn note_tasks<'a>(&self, tasks: impl Iterator<Item = &'a TaskRow>) {
        if let Some(git) = &self.site.git {
            let tasks = tasks.map(|task| (&task.id, task.state));
            self.site.shared.disk.books.note(&self.site.run, git, tasks);
        }
    }

    /// Has the worktree of a session without a task removed when the session has ended.
    pub(crate) fn note_session(&mut self, session: &SessionRow) {
        let has_desk = session.agent.is_some() && session.task.is_none();
        if self.site.git.is_none() || !has_desk || session.ended_at.is_none() {
            return;
        }
        self.site.shared.disk.books.note_over(&self.site.run, session.id);
        if self.removal.is_none() {
            let (site, mut tried) = (Arc::clone(&self.site), BTreeSet::new());
            self.removal = WorktreeRemoval::start(move || {
                let mut ended = site.shared.disk.books.ended_desks(&site.run);
                // Each is tried once: what can't be removed now is removed when space is needed or on `clean`.
                ended.retain(|session| tried.insert(*session));
                ended.into_iter().for_each(|session| site.clear_desk(session));
            });
        }
        self.removal.iter().for_each(WorktreeRemoval::wake);
    }

    /// Does something, or sees to it that it is done. What came of it is reported by mail.
    pub(crate) fn carry_out(&mut self, id: EffectId, effect: Effect, kept: &Kept) {
        match effect {
            Effect::SpawnAgent { session } => self.post(session, Situation::New, kept),
            Effect::SendInput { session, input, content } => {
                let brief = brief(&content, kept);
                self.send(session, SessionCommand::Send { number: input, input: content, brief });
            }
            Effect::ParkSession { session, mode: ParkMode::Cold } => {
                self.send(session, SessionCommand::Cool { effect: id });
            }
            Effect::ParkSession { session, mode: ParkMode::Frozen | ParkMode::Hot } => {
                self.send(session, SessionCommand::Freeze { effect: id });
            }
            Effect::WakeSession { session, from: ParkMode::Cold } => {
                let replay = brief::replay(session, kept);
                self.send(session, SessionCommand::Warm { effect: id, replay });
            }
            Effect::WakeSession { session, from: ParkMode::Frozen | ParkMode::Hot } => {
                self.send(session, SessionCommand::Thaw { effect: id });
            }
            Effect::EndSession { session } => {
                if !self.posts.contains_key(&session) {
                    self.post(session, Situation::Working, kept);
                }
                if let Some(post) = self.posts.get(&session) {
                    post.stop(SessionStop::End);
                }
            }
            Effect::RunCheck { task, attempt, command } => {
                let time_max_ms = kept.run().settings().timeout_ms;
                self.job(id, move |site, leash| {
                    site.turns.wait_for(&task, leash);
                    let receipt = job::check(site, &job_name(id), &task, &command, time_max_ms, leash);
                    Command::ReportCheck { task, attempt, receipt }
                });
            }
            Effect::Merge { task, attempt } => {
                let wanted = merge::Wanted::new(&task, kept, job_name(id));
                self.job(id, move |site, leash| {
                    site.turns.wait_for(&task, leash);
                    let outcome = merge::merge(site, &task, &wanted, leash);
                    Command::ReportMerge { task, attempt, outcome }
                });
            }
            Effect::CheckGate { phase, round } => {
                let work = kept.run().gate_check(phase);
                let time_max_ms = kept.run().settings().timeout_ms;
                self.job(id, move |site, leash| {
                    let report = gate::report(site, &job_name(id), &work, time_max_ms, leash);
                    Command::ReportGate { phase, round, report }
                });
            }
            Effect::LandPhase { phase } => self.job(id, move |site, _| {
                let what = Land::Approved(vec![phase]);
                let landed = site.git.as_ref().map(|git| git.land(&what)).transpose();
                let error = match landed {
                    Ok(Some(Landed::CheckedOut { .. })) => return Command::ReportNotLanded { effect: id },
                    Ok(landed) => landed.and_then(|landed| landed.missing()),
                    Err(error) => Some(chain(&error)),
                };
                Command::ReportEffect { effect: id, error }
            }),
            Effect::MakeCheckpoint { checkpoint, task } => self.checkpoint(id, checkpoint, task, kept),
            Effect::RestoreCheckpoint { task, checkpoint } => {
                let row = checkpoint.and_then(|id| kept.views().rows().checkpoints.get(&id).cloned());
                let commit = row.and_then(|row| row.commit);
                self.job(id, move |site, _| {
                    let restored = match &site.git {
                        Some(git) => git.restore(&task, commit.as_deref()).map_err(|error| chain(&error)),
                        None => Err("without worktrees nothing can be brought back".to_owned()),
                    };
                    Command::ReportEffect { effect: id, error: restored.err() }
                });
            }
            Effect::SavePermissionRule { pattern, allowed } => self.job(id, move |site, _| {
                let kept = site.keep_permission(&pattern, allowed);
                Command::ReportEffect { effect: id, error: kept.err().map(|error| error.to_string()) }
            }),
        }
    }

    /// Ends what is done for orders that are no longer wanted: the check of a task that was called off.
    pub(crate) fn drop_what_nobody_needs(&mut self, kept: &Kept) {
        self.jobs.retain(|job| !job.thread.is_finished());
        for job in self.jobs.iter().filter(|job| !kept.run().is_effect_pending(job.effect)) {
            job.leash.end();
        }
    }

    /// Lets go of every session and command, or ends them all. A run that is over leaves no desk behind.
    pub(crate) fn stop(&mut self, agents: AfterStop, is_over: bool) {
        for job in &self.jobs {
            match agents {
                AfterStop::LeaveWorking => job.leash.leave(),
                AfterStop::EndSessions => job.leash.end(),
            }
        }
        let stop = match agents {
            AfterStop::LeaveWorking => SessionStop::Detach,
            AfterStop::EndSessions => SessionStop::Shutdown,
        };
        self.posts.values().for_each(|post| post.stop(stop));
        for (_, post) in std::mem::take(&mut self.posts) {
            post.join();
        }
        self.watch.take().into_iter().for_each(Watch::stop);
        if let Some(looking) = self.room.take() {
            drop(looking.thread.join());
        }
        self.removal.take().into_iter().for_each(WorktreeRemoval::finish);
        if is_over {
            self.site.clear_desks();
        }
        for job in std::mem::take(&mut self.jobs) {
            // One that panicked has said so itself.
            drop(job.thread.join());
        }
    }

    fn checkpoint(&mut self, id: EffectId, checkpoint: CheckpointId, task: TaskId, kept: &Kept) {
        let row = kept.views().rows().tasks.get(&task).and_then(|task| task.session);
        let session = row.and_then(|session| kept.run().assignment(session));
        let agent_session = session.and_then(|session| session.agent_session);
        self.job(id, move |site, _| {
            let outcome = match &site.git {
                None => {
                    let tree = site.tree_in_place();
                    CheckpointOutcome::Made { commit: String::new(), agent_session, tree }
                }
                Some(git) => match git.keep(&task, &format!("checkpoint {checkpoint}")) {
                    Ok(kept) => CheckpointOutcome::Made {
                        commit: kept.commit.to_string(),
                        agent_session,
                        tree: Some(kept.tree),
                    },
                    Err(error) => CheckpointOutcome::Failed { error: chain(&error) },
                },
            };
            Command::ReportCheckpoint { checkpoint, outcome }
        });
    }

    /// Puts a thread beside a session, which finds or starts its process.
    fn post(&mut self, session: SessionId, situation: Situation, kept: &Kept) {
        // One whose process ended may be posted again.
        if let Some(old) = self.posts.remove(&session) {
            old.stop(SessionStop::Detach);
            old.join();
        }
        match SessionHandle::new(Arc::clone(&self.site), session, situation, kept) {
            Ok(post) => {
                self.posts.insert(session, post);
            }
            Err(reason) => self.site.report(Command::ReportLost { session, reason }),
        }
    }

    fn send(&mut self, session: SessionId, command: SessionCommand) {
        // A session without a thread has ended, and the engine knows or will be told.
        if let Some(post) = self.posts.get(&session) {
            post.send(command);
        }
    }

    /// Does something beside the loop, and reports what came of it.
    fn job(&mut self, effect: EffectId, work: impl FnOnce(&Site, &Leash) -> Command + Send + 'static) {
        let (site, leash) = (Arc::clone(&self.site), Leash::new());
        let held = leash.clone();
        let spawned = thread::Builder::new().name("job".to_owned()).spawn(move || {
            let report = work(&site, &held);
            // What was broken off found nothing out.
            if !held.is_pulled() {
                site.report(report);
            }
        });
        // Without a thread the order stays open, and is given again with the next start.
        if let Ok(thread) = spawned {
            self.jobs.push(Working { effect, leash, thread });
        }
    }
}

fn job_name(id: EffectId) -> String {
    format!("job-{}-{}", id.sequence, id.index)
}
