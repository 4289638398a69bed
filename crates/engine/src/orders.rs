//! What the world was told and has not reported yet, by what it is about.

use std::collections::BTreeMap;

use domain::{EffectId, Sequence, SessionId};

use crate::{effect::Effect, state::EffectKey};

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Orders {
    open: BTreeMap<EffectKey, (EffectId, Effect)>,
}

impl Orders {
    pub(crate) fn open(&self) -> impl Iterator<Item = &(EffectId, Effect)> {
        self.open.values()
    }

    pub(crate) fn has(&self, key: &EffectKey) -> bool {
        self.open.contains_key(key)
    }

    /// Returns the order with this id, where nobody has reported it yet.
    pub(crate) fn find(&self, id: EffectId) -> Option<(&EffectKey, &Effect)> {
        self.open.iter().find(|(_, (open, _))| *open == id).map(|(key, (_, effect))| (key, effect))
    }

    pub(crate) fn close(&mut self, key: &EffectKey) {
        self.open.remove(key);
    }

    /// Forgets what a session that is over was to do.
    pub(crate) fn close_session(&mut self, session: SessionId) {
        self.open.retain(|key, _| match key {
            EffectKey::Spawn(of)
            | EffectKey::Park(of)
            | EffectKey::Wake(of)
            | EffectKey::End(of)
            | EffectKey::Say(of, _) => *of != session,
            EffectKey::Check(_)
            | EffectKey::Merge(_)
            | EffectKey::Gate(_)
            | EffectKey::Land(_)
            | EffectKey::Checkpoint(_)
            | EffectKey::Restore(_)
            | EffectKey::Keep(_) => true,
        });
    }
}

/// The orders that one event gives.
pub(crate) struct Given {
    sequence: Sequence,
    pub(crate) effects: Vec<(EffectId, Effect)>,
}

impl Given {
    pub(crate) fn by(sequence: Sequence) -> Self {
        Self { sequence, effects: Vec::new() }
    }

    /// Gives an order; an earlier one about the same thing is superseded.
    pub(crate) fn order(&mut self, orders: &mut Orders, key: EffectKey, effect: Effect) {
        let index = u32::try_from(self.effects.len()).unwrap_or(u32::MAX);
        let id = EffectId { sequence: self.sequence, index };
        orders.open.insert(key, (id, effect.clone()));
        self.effects.push((id, effect));
    }
}
