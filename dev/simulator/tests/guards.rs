//! Negative controls: with a rule of the engine switched off, some imagined run breaks it, and it is seen.

use engine::{Guard, Run};
use simulator::{Options, Rule, simulate_with};

/// So many runs are enough to miss any guard.
const SEEDS_MAX: u64 = 2_000;

fn check(guard: Guard, expected: &[Rule]) {
    let options = Options::default();
    let violation = |seed| simulate_with(seed, &options, &|| Run::without(guard)).err();
    let mut others = Vec::new();
    let missed = (0..SEEDS_MAX).filter_map(violation).any(|violation| {
        others.push(violation.to_string());
        expected.contains(&violation.breach.rule)
    });
    assert!(
        missed,
        "nobody misses {guard:?}; {} other violations, such as {:?}",
        others.len(),
        others.first()
    );
}

macro_rules! controls {
    ($($name:ident: $guard:ident => $($rule:ident),+;)*) => {
        $(
            #[test]
            fn $name() {
                check(Guard::$guard, &[$(Rule::$rule),+]);
            }
        )*

        #[test]
        fn every_guard_has_its_control() {
            let controlled = [$(Guard::$guard),*];
            assert!(Guard::ALL.iter().all(|guard| controlled.contains(guard)));
        }
    };
}

controls! {
    dependencies_are_missed: Dependencies => DependenciesFirst;
    one_attempt_is_missed: OneAttempt => OneAttempt;
    slots_are_missed: Slots => Slots;
    agent_slots_are_missed: AgentSlots => AgentSlots;
    touches_are_missed: Touches => Touches;
    a_blocked_task_that_keeps_its_slot_is_seen: BlockedGivesSlot => NobodyIdle;
    one_answer_is_missed: OneAnswer => OneAnswer;
    the_asker_is_missed: AnswerToAsker => AnswerToAsker;
    chat_that_answers_too_much_is_seen: ChatNeedsOne => ChatNeedsOne;
    a_default_for_a_required_answer_is_seen: DefaultOnlyOptional => DefaultOnlyOptional;
    a_message_taken_twice_is_seen: MessageOnce => MessageOnce;
    a_prompt_taken_twice_is_seen: PromptOnce => PromptOnce;
    stale_reports_are_seen: StaleReports => StaleReports;
    a_missing_receipt_is_seen: Receipt => Receipt;
    two_merges_at_once_are_seen: OneMerge => OneMerge;
    a_gate_that_is_passed_by_is_seen: GateFirst => GateFirst;
    calls_in_a_circle_are_seen: NoCallCycle => NoCircle;
    endless_tries_are_seen: TriesBounded => TriesBounded;
    an_early_end_is_seen: EndsIdle => EndsIdle;
    foreign_words_are_seen: OwnWords => OwnWords;
    a_skipped_required_request_is_seen: RequiredRequest => RequiredRequest;
}
