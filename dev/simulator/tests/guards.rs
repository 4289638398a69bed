//! Negative controls: with a guard of the engine switched off, some simulated run must break its rule.

use engine::{Guard, Run};
use simulator::{Options, Rule, simulate_with_engine};

/// Number of runs within which every missing guard is detected.
const SEEDS_MAX: u64 = 2_000;

fn assert_guard_detected(guard: Guard, expected: &[Rule]) {
    let options = Options::default();
    let failure = |seed| simulate_with_engine(seed, &options, &|| Run::without_guard(guard)).err();
    let mut others = Vec::new();
    let is_detected = (0..SEEDS_MAX).filter_map(failure).any(|failure| {
        others.push(failure.to_string());
        expected.contains(&failure.violation.rule)
    });
    assert!(
        is_detected,
        "no run detects that {guard:?} is off; {} other violations, such as {:?}",
        others.len(),
        others.first()
    );
}

macro_rules! guard_tests {
    ($($name:ident: $guard:ident => $($rule:ident),+;)*) => {
        $(
            #[test]
            fn $name() {
                assert_guard_detected(Guard::$guard, &[$(Rule::$rule),+]);
            }
        )*

        #[test]
        fn every_guard_has_a_test() {
            let tested = [$(Guard::$guard),*];
            assert!(Guard::ALL.iter().all(|guard| tested.contains(guard)));
        }
    };
}

guard_tests! {
    missing_dependencies_are_detected: Dependencies => DependenciesFirst;
    two_attempts_are_detected: OneAttempt => OneAttempt;
    too_many_tasks_are_detected: Slots => Slots;
    too_many_tasks_of_an_agent_are_detected: AgentSlots => AgentSlots;
    shared_files_are_detected: TouchedPaths => Touches;
    a_blocked_task_that_keeps_its_slot_is_detected: BlockedReleasesSlot => NoIdleTask;
    a_second_answer_is_detected: OneAnswer => OneAnswer;
    an_answer_to_another_session_is_detected: AnswerToAskingSession => AnswerToAsker;
    chat_that_answers_one_of_several_questions_is_detected: ChatAnswersOnlyQuestion => ChatNeedsOne;
    a_default_for_a_required_answer_is_detected: DefaultsForOptionalOnly => DefaultOnlyOptional;
    a_message_processed_twice_is_detected: MessageOnce => MessageOnce;
    a_prompt_processed_twice_is_detected: PromptOnce => PromptOnce;
    stale_reports_are_detected: RejectStaleReports => StaleReports;
    a_missing_receipt_is_detected: CheckReceipt => Receipt;
    two_merges_at_once_are_detected: SerialMerges => OneMerge;
    a_start_before_the_gate_is_detected: GateBeforeNextPhase => GateFirst;
    a_cycle_of_calls_is_detected: NoCallCycle => NoCycle;
    endless_attempts_are_detected: AttemptLimit => AttemptsBounded;
    an_early_end_is_detected: EndOnlyWhenIdle => EndsIdle;
    a_message_that_the_role_forbids_is_detected: MessagesOfRole => PermittedMessages;
    a_skipped_required_request_is_detected: RequiredRequests => RequiredRequest;
}
