//! The JSON form of user commands, which HTTP clients rely on.

use domain::UserCommand;

/// Every user command with all its fields.
const COMMANDS: &[&str] = &[
    r#""pauseRun""#,
    r#""continueRun""#,
    r#""cancelRun""#,
    r#"{"landRun":{"all":true,"into":"release","squash":false}}"#,
    r#"{"cleanRun":{"refs":true}}"#,
    r#"{"stopSession":"s_3"}"#,
    r#"{"pausePhase":2}"#,
    r#"{"continuePhase":2}"#,
    r#"{"cancelPhase":2}"#,
    r#"{"pauseTask":"T1.2"}"#,
    r#"{"continueTask":"T1.2"}"#,
    r#"{"cancelTask":"T1.2"}"#,
    r#"{"retryTask":{"task":"T1.2","hint":"use the other port"}}"#,
    r#"{"skipTask":"T1.2"}"#,
    r#"{"prioritizeTask":{"task":"T1.2","priority":"high"}}"#,
    r#"{"sendMessage":{"task":"T1.2","text":"use tabs"}}"#,
    r#"{"reassignTask":{"task":"T1.2","agent":"dev"}}"#,
    r#"{"rewindTask":{"task":"T1.2","checkpoint":"k_3"}}"#,
    r#"{"createCheckpoint":"T1.2"}"#,
    r#"{"addDependency":{"earlier":"T1.1","later":"T1.2"}}"#,
    r#"{"removeDependency":{"earlier":"T1.1","later":"T1.2"}}"#,
    r#"{"markExternalMet":{"name":"the certificate"}}"#,
    r#"{"answer":{"question":"q_7","task":null,"answer":"yes","scope":"once"}}"#,
    r#"{"requestClarification":{"question":"q_7","text":"Which of the two?"}}"#,
    r#"{"chat":{"text":"How far are you?","talkOnly":false}}"#,
    r#"{"provide":{"request":"d_2","provided":{"type":"environment","names":["API_KEY"]}}}"#,
    r#"{"refuse":{"request":"d_2","reason":"there is none"}}"#,
    r#"{"skipRequest":"d_2"}"#,
    r#"{"approveGate":{"phase":1,"note":null}}"#,
    r#"{"rejectGate":{"phase":1,"reason":"no tests","tasks":["T1.2"]}}"#,
    r#"{"resolve":{"escalation":"e_4","action":{"type":"retry"},"note":null}}"#,
];

#[test]
fn commands_round_trip_through_json() {
    for json in COMMANDS {
        let command: UserCommand =
            serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"));
        assert_eq!(serde_json::to_string(&command).unwrap(), *json);
    }
}

#[test]
fn optional_fields_may_be_omitted() {
    let check = |short: &str, long: &str| {
        let read = |text| serde_json::from_str::<UserCommand>(text).unwrap();
        assert_eq!(read(short), read(long));
    };
    check(
        r#"{"answer":{"question":"q_7","answer":"yes"}}"#,
        r#"{"answer":{"question":"q_7","task":null,"answer":"yes","scope":"once"}}"#,
    );
    check(r#"{"retryTask":{"task":"T1"}}"#, r#"{"retryTask":{"task":"T1","hint":null}}"#);
    check(r#"{"approveGate":{"phase":1}}"#, r#"{"approveGate":{"phase":1,"note":null}}"#);
    check(
        r#"{"rejectGate":{"phase":1,"reason":"no"}}"#,
        r#"{"rejectGate":{"phase":1,"reason":"no","tasks":[]}}"#,
    );
}
