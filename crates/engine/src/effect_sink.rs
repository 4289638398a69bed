//! Effects that have not been reported yet, and the effects that one event adds to them.

use std::collections::BTreeMap;

use domain::{EffectId, Sequence, SessionId};

use crate::{effect::Effect, state::EffectKey};

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct PendingEffects {
    by_key: BTreeMap<EffectKey, (EffectId, Effect)>,
}

impl PendingEffects {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(EffectId, Effect)> {
        self.by_key.values()
    }

    pub(crate) fn has(&self, key: &EffectKey) -> bool {
        self.by_key.contains_key(key)
    }

    /// Returns the pending effect with this id.
    pub(crate) fn find(&self, id: EffectId) -> Option<(&EffectKey, &Effect)> {
        self.by_key.iter().find(|(_, (open, _))| *open == id).map(|(key, (_, effect))| (key, effect))
    }

    pub(crate) fn remove(&mut self, key: &EffectKey) {
        self.by_key.remove(key);
    }

    /// Removes the pending effects of an ended session.
    pub(crate) fn remove_session(&mut self, session: SessionId) {
        self.by_key.retain(|key, _| match key {
            EffectKey::Spawn(owner)
            | EffectKey::Park(owner)
            | EffectKey::Wake(owner)
            | EffectKey::End(owner)
            | EffectKey::Input(owner, _) => *owner != session,
            EffectKey::Check(_)
            | EffectKey::Merge(_)
            | EffectKey::Gate(_)
            | EffectKey::Land(_)
            | EffectKey::Checkpoint(_)
            | EffectKey::Restore(_)
            | EffectKey::PermissionRule(_)
            | EffectKey::TickPlan(_)
            | EffectKey::RecordDuration(_)
            | EffectKey::ReleaseWorktree(_)
            | EffectKey::RemoveWorktree(_) => true,
        });
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
        let index = u32::try_from(self.effects.len()).unwrap_or(u32::MAX);
        let id = EffectId { sequence: self.sequence, index };
        pending.by_key.insert(key, (id, effect.clone()));
        self.effects.push((id, effect));
    }
}
