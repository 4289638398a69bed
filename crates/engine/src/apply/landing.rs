//! Applies requests of users to land and to clean up.

use domain::events;

use crate::{effect::Effect, effect_sink::EffectSink, run::Run, state::EffectKey};

impl Run {
    pub(super) fn apply_landing_requested(
        &mut self,
        event: &events::LandingRequested,
        sink: &mut EffectSink,
    ) {
        let events::LandingRequested { landing, all, into, squash } = event;
        self.landings = landing.0;
        let order = Box::new(self.landing_order(*all, into.clone(), *squash));
        let effect = Effect::LandRun { landing: *landing, order };
        sink.add(&mut self.pending_effects, EffectKey::LandRun, effect);
    }

    pub(super) fn apply_cleanup_requested(
        &mut self,
        event: &events::CleanupRequested,
        sink: &mut EffectSink,
    ) {
        let events::CleanupRequested { cleanup, refs } = event;
        self.cleanups = cleanup.0;
        let effect = Effect::CleanRun { cleanup: *cleanup, order: Box::new(self.cleanup_order(*refs)) };
        sink.add(&mut self.pending_effects, EffectKey::CleanRun, effect);
    }
}
