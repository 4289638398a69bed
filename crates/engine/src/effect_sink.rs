//! Effects that have not been reported yet, and the effects that one event adds to them.

use std::collections::BTreeMap;

use domain::{EffectId, Sequence, SessionId, Timestamp};

use crate::{effect::Effect, state::EffectKey};

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct PendingEffects {
    by_key: BTreeMap<EffectKey, (EffectId, Effect)>,
    /// Effects of `by_key` that failed because the disk is full.
    postponements: BTreeMap<EffectKey, Postponement>,
}

/// How often an effect was postponed, and until when.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Postponement {
    pub(crate) times: u32,
    /// `None` while it is being executed again.
    retry_at: Option<Timestamp>,
}

impl PendingEffects {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(EffectId, Effect)> {
        self.by_key.values()
    }

    pub(crate) fn has(&self, key: &EffectKey) -> bool {
        self.by_key.contains_key(key)
    }

    /// Returns the pending effect with this key.
    pub(crate) fn find_by_key(&self, key: &EffectKey) -> Option<&Effect> {
        self.by_key.get(key).map(|(_, effect)| effect)
    }

    /// Returns the pending effect with this id.
    pub(crate) fn find(&self, id: EffectId) -> Option<(&EffectKey, &Effect)> {
        self.by_key.iter().find(|(_, (open, _))| *open == id).map(|(key, (_, effect))| (key, effect))
    }

    pub(crate) fn remove(&mut self, key: &EffectKey) {
        self.by_key.remove(key);
        self.postponements.remove(key);
    }

    /// Returns the effects that are being executed.
    pub(crate) fn iter_executing(&self) -> impl Iterator<Item = &(EffectId, Effect)> {
        self.by_key.iter().filter(|(key, _)| !self.waits_for_retry(key)).map(|(_, pending)| pending)
    }

    fn waits_for_retry(&self, key: &EffectKey) -> bool {
        self.postponements.get(key).is_some_and(|postponement| postponement.retry_at.is_some())
    }

    /// Returns whether an effect is being executed.
    pub(crate) fn is_executing(&self, id: EffectId) -> bool {
        self.find(id).is_some_and(|(key, _)| !self.waits_for_retry(key))
    }

    pub(crate) fn postpone(&mut self, id: EffectId, retry_at: Timestamp) {
        let Some((key, _)) = self.find(id) else { return };
        let postponement =
            self.postponements.entry(key.clone()).or_insert(Postponement { times: 0, retry_at: None });
        postponement.times += 1;
        postponement.retry_at = Some(retry_at);
    }

    /// Returns how often an effect was postponed.
    pub(crate) fn times_postponed(&self, id: EffectId) -> u32 {
        let postponement = self.find(id).and_then(|(key, _)| self.postponements.get(key));
        postponement.map_or(0, |postponement| postponement.times)
    }

    pub(crate) fn has_postponed(&self) -> bool {
        !self.postponements.is_empty()
    }

    /// Returns when the next retry of a postponed effect is due.
    pub(crate) fn next_retry_at(&self) -> Option<Timestamp> {
        self.postponements.values().filter_map(|postponement| postponement.retry_at).min()
    }

    /// Moves the retries of postponed effects.
    pub(crate) fn shift_retries(&mut self, by_ms: i64) {
        for at in self.postponements.values_mut().filter_map(|postponement| postponement.retry_at.as_mut()) {
            at.0 = at.0.saturating_add(by_ms);
        }
    }

    /// Returns the postponed effects whose retry is due, in order.
    pub(crate) fn due_retries(&self, now: Timestamp) -> Vec<EffectId> {
        let is_due = |postponement: &Postponement| postponement.retry_at.is_some_and(|at| at <= now);
        let due = self.postponements.iter().filter(|(_, postponement)| is_due(postponement));
        let mut ids: Vec<EffectId> =
            due.filter_map(|(key, _)| self.by_key.get(key)).map(|(id, _)| *id).collect();
        ids.sort();
        ids
    }

    /// Removes the pending effects of an ended session.
    pub(crate) fn remove_session(&mut self, session: SessionId) {
        let is_of_other = |key: &EffectKey| match key {
            EffectKey::Spawn(owner)
            | EffectKey::Park(owner)
            | EffectKey::Wake(owner)
            | EffectKey::End(owner)
            | EffectKey::Stop(owner)
            | EffectKey::Input(owner, _) => *owner != session,
            EffectKey::Check(_)
            | EffectKey::Merge(_)
            | EffectKey::Gate(_)
            | EffectKey::Land(_)
            | EffectKey::LandRun
            | EffectKey::CleanRun
            | EffectKey::Checkpoint(_)
            | EffectKey::Restore(_)
            | EffectKey::PermissionRule(_)
            | EffectKey::TickPlan(_)
            | EffectKey::RecordDuration(_)
            | EffectKey::ReleaseWorktree(_)
            | EffectKey::RemoveWorktree(_)
            // Also without a session: the next one of the task gets the resource.
            | EffectKey::Provision(_) => true,
        };
        self.by_key.retain(|key, _| is_of_other(key));
        self.postponements.retain(|key, _| is_of_other(key));
    }
}

/// Collects the effects that one event causes, and numbers them.
pub(crate) struct EffectSink {
    sequence: Sequence,
    pub(crate) effects: Vec<(EffectId, Effect)>,
}

impl EffectSink {
    pub(crate) fn new(sequence: Sequence) -> Self {
        Self { sequence, effects: Vec::new() }
    }

    /// Adds an effect; it replaces a pending effect with the same key.
    pub(crate) fn add(&mut self, pending: &mut PendingEffects, key: EffectKey, effect: Effect) {
        pending.postponements.remove(&key);
        self.add_numbered(pending, key, effect);
    }

    /// Adds a postponed effect again, under a new id.
    pub(crate) fn retry(&mut self, pending: &mut PendingEffects, id: EffectId) {
        let Some((key, effect)) = pending.find(id).map(|(key, effect)| (key.clone(), effect.clone())) else {
            return;
        };
        if let Some(postponement) = pending.postponements.get_mut(&key) {
            postponement.retry_at = None;
        }
        self.add_numbered(pending, key, effect);
    }

    fn add_numbered(&mut self, pending: &mut PendingEffects, key: EffectKey, effect: Effect) {
        let index = u32::try_from(self.effects.len()).unwrap_or(u32::MAX);
        let id = EffectId { sequence: self.sequence, index };
        pending.by_key.insert(key, (id, effect.clone()));
        self.effects.push((id, effect));
    }
}
