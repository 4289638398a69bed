//! Questions from a worker through the orchestrator to the user, and their answers.

use domain::{Actor, BlockReason, Event, QuestionId, QuestionRoute, Role, RunOutcome, UserCommand, events};
use views::{ChatAuthor, ChatRow, QuestionState, Rows, TaskState, TurnSpeaker};

use crate::fixture::{Agent, RunFixture, agent, plan};

/// Asks one question with options, and records the answers.
const ASKS: &str = r#"
read -r task
printf '[ASK_USER]\nquestion: Which colour for %s?\noptions: ["red", "blue"]\n[/ASK_USER]\n' "$JANGDAN_TASK"
read -r answer
printf '%s\n' "$answer" >> "answer-$JANGDAN_TASK.json"
echo "DONE:$JANGDAN_TASK:it is there"
"#;

/// Answers questions about T1, and forwards all others to the user.
const LEADS: &str = r#"
while read -r line; do
    printf '%s\n' "$line" >> "$BARRIER/orchestrator"
    case $line in
        *'"notice":"QUESTION"'*'for T1'*) echo 'Take blue.' ;;
        *'"notice":"QUESTION"'*) echo '[NEED_HUMAN: Red or blue, what do you like?]' ;;
        *) echo 'I see.' ;;
    esac
done
"#;

#[test]
fn answer_of_the_orchestrator_does_not_involve_the_user() {
    let fixture = fixture_with_orchestrator();
    let run = fixture.start(plan(&["T1"]));
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert!(
        fixture.branch_file(&run, "answer-T1.json").contains("Take blue."),
        "{}",
        fixture.branch_file(&run, "answer-T1.json")
    );
    let rows = fixture.rows(&run);
    let question = rows.questions.iter().next().unwrap();
    assert_eq!(question.status, QuestionState::Resumed);
    assert!(matches!(question.answered_by, Some(Actor::Agent(_))), "{:?}", question.answered_by);
    assert_eq!(question_routes(&fixture.events(&run)), [QuestionRoute::Orchestrator]);
    let chat: Vec<String> =
        rows.chat.iter().filter(|row| row.question.is_some()).map(|row| row.text.clone()).collect();
    assert_eq!(chat, Vec::<String>::new(), "the user was not asked");
}

#[test]
fn forwarded_question_keeps_its_options_and_the_answer_reaches_only_the_worker() {
    let fixture = fixture_with_orchestrator();
    let run = fixture.start(plan(&["T2"]));
    let question = fixture.wait_for_questions(&run, 1).remove(0);
    assert_eq!(question.text, "Red or blue, what do you like?");
    assert_eq!(question.original_text.as_deref(), Some("Which colour for T2?"));
    assert_eq!(question.options, ["red", "blue"]);
    let rows = fixture.rows(&run);
    let task = rows.tasks.get(&"T2".parse().unwrap()).unwrap();
    assert_eq!(task.state, TaskState::Blocked);
    assert_eq!(task.blocked[0].reason, BlockReason::Question { question: question.id });
    assert_eq!(task.question.as_ref().unwrap().text, "Red or blue, what do you like?");
    fixture.answer(&run, question.id, "red");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    assert!(fixture.branch_file(&run, "answer-T2.json").contains(r#""answer":"red""#));
    assert!(
        !fixture.script_output("orchestrator").contains("question_answer"),
        "{}",
        fixture.script_output("orchestrator")
    );
    assert_eq!(
        question_event_labels(&fixture.events(&run), question.id),
        ["asked", "blocked", "orchestrator", "forwarded", "answered", "unblocked", "delivered", "resumed"]
    );
}

#[test]
fn reply_of_the_orchestrator_appears_in_the_chat() {
    let fixture = fixture_with_orchestrator();
    let run = fixture.start(plan(&["T2"]));
    let question = fixture.wait_for_questions(&run, 1).remove(0);
    fixture.execute(&run, UserCommand::Chat { text: "Hello.".to_owned(), talk_only: true });
    let reply = fixture.wait_for(&run, |views| {
        let is_reply = |row: &&ChatRow| row.author == ChatAuthor::Orchestrator && !row.is_card;
        views.rows().chat.iter().find(is_reply).map(|row| row.text.clone())
    });
    assert_eq!(reply, "I see.");
    fixture.answer(&run, question.id, "red");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
}

#[test]
fn conversation_of_a_task_is_complete_and_in_order() {
    let fixture = fixture_with_orchestrator();
    let run = fixture.start(plan(&["T2"]));
    let question = fixture.wait_for_questions(&run, 1).remove(0);
    fixture.answer(&run, question.id, "red");
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let turns = conversation(&fixture.rows(&run), "T2");
    let expected = [
        (TurnSpeaker::Orchestrator, "Do task T2."),
        (TurnSpeaker::Agent, "Which colour for T2?\n- red\n- blue"),
        (TurnSpeaker::Orchestrator, "Red or blue, what do you like?\n- red\n- blue"),
        (TurnSpeaker::Orchestrator, "Answer to q_1: red"),
        (TurnSpeaker::Agent, "DONE:T2:it is there\n"),
    ];
    let mut rest = turns.iter();
    for (speaker, text) in expected {
        let is_next = rest.any(|(role, content)| (*role, content.as_str()) == (speaker, text));
        assert!(is_next, "{text:?} is missing or out of order in {turns:?}");
    }
}

#[test]
fn need_human_is_explained_only_to_the_orchestrator() {
    let read_prompt = r#"
hear() {
    while read -r line; do
        printf '%s\n' "$line" >> "$BARRIER/input-$1"
        case $line in *'Never print a secret'*) return ;; esac
    done
}
"#;
    let worker = format!(
        "{read_prompt}\nhear worker\nprintf '[ASK_USER]\\nquestion: Why?\\n[/ASK_USER]\\n'\nread -r answer\nread -r answer\n\
         echo \"DONE:$JANGDAN_TASK:it is there\"\n"
    );
    let orchestrator =
        format!("{read_prompt}\nhear orchestrator\nsleep 0.1\necho 'Because.'\nread -r more\n");
    let text = |name, role, script| Agent { name, role, script, preset: "form = 'text'" };
    let fixture = RunFixture::with_team(&[
        text("worker", Role::Worker, &worker),
        text("lead", Role::Orchestrator, &orchestrator),
    ]);
    let run = fixture.start(plan(&["T1"]));
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    let (worker, lead) = (fixture.script_output("input-worker"), fixture.script_output("input-orchestrator"));
    assert!(lead.contains("[NEED_HUMAN"), "{lead}");
    assert!(worker.contains("[ASK_USER") && !worker.contains("NEED_HUMAN"), "{worker}");
}

#[test]
fn answers_reach_their_questions_and_chat_answers_only_a_single_one() {
    let fixture = RunFixture::new(ASKS);
    let run = fixture.start(plan(&["T1", "T2", "T3"]));
    let pending = fixture.wait_for_questions(&run, 3);
    let rejection = fixture.execute_rejected(&run, chat_command("blue"));
    for question in &pending {
        assert!(rejection.contains(&question.id.to_string()), "{rejection}");
    }
    for question in pending.iter().rev().take(2) {
        fixture.answer(&run, question.id, &format!("answer to {}", question.id));
    }
    fixture.wait_for_questions(&run, 1);
    fixture.execute(&run, chat_command("answer by chat"));
    assert_eq!(fixture.wait_for_outcome(&run), RunOutcome::Done);
    for question in fixture.rows(&run).questions.iter() {
        let file = fixture.branch_file(&run, &format!("answer-{}.json", question.task.as_ref().unwrap()));
        assert_eq!(file.lines().count(), 1, "{file}");
        assert!(file.contains(question.answer.as_ref().unwrap()), "{file}");
        assert!(file.contains(&format!(r#""questionId":"{}""#, question.id)), "{file}");
    }
}

#[test]
fn question_of_a_cancelled_task_is_withdrawn_and_cannot_be_answered() {
    let fixture = RunFixture::new(ASKS);
    let run = fixture.start(plan(&["T1", "T2"]));
    let pending = fixture.wait_for_questions(&run, 2);
    let question_of =
        |task: &str| pending.iter().find(|row| row.task.as_ref().unwrap().to_string() == task).unwrap().id;
    fixture.execute(&run, UserCommand::CancelTask("T1".parse().unwrap()));
    assert_eq!(fixture.wait_for_questions(&run, 1)[0].id, question_of("T2"));
    let rows = fixture.rows(&run);
    assert_eq!(rows.questions.get(&question_of("T1")).unwrap().status, QuestionState::Withdrawn);
    let rejection = fixture.execute_rejected(&run, crate::fixture::answer_to(question_of("T1"), "red"));
    assert!(rejection.contains("withdrawn"), "{rejection}");
    fixture.execute(&run, chat_command("blue"));
    fixture.wait_for_task(&run, "T2", TaskState::Done);
    assert!(fixture.branch_file(&run, "answer-T2.json").contains("blue"));
}

fn fixture_with_orchestrator() -> RunFixture {
    RunFixture::with_team(&[agent("worker", Role::Worker, ASKS), agent("lead", Role::Orchestrator, LEADS)])
}

fn chat_command(text: &str) -> UserCommand {
    UserCommand::Chat { text: text.to_owned(), talk_only: false }
}

fn question_routes(events: &[Event]) -> Vec<QuestionRoute> {
    let route = |event: &Event| match event {
        Event::QuestionRouted(events::QuestionRouted { to, .. }) => Some(*to),
        _ => None,
    };
    events.iter().filter_map(route).collect()
}

/// Returns the events of a question and of the task that it blocks.
fn question_event_labels(events: &[Event], id: QuestionId) -> Vec<&'static str> {
    let block_reason = BlockReason::Question { question: id };
    let step = |event: &Event| match event {
        Event::QuestionAsked(events::QuestionAsked { question, .. }) if *question == id => Some("asked"),
        Event::TaskBlocked(events::TaskBlocked { reason, .. }) if *reason == block_reason => Some("blocked"),
        Event::QuestionRouted(events::QuestionRouted { question, to: QuestionRoute::Orchestrator })
            if *question == id =>
        {
            Some("orchestrator")
        }
        Event::QuestionRouted(events::QuestionRouted { question, to: QuestionRoute::Person })
            if *question == id =>
        {
            Some("person")
        }
        Event::QuestionForwarded(events::QuestionForwarded { question, .. }) if *question == id => {
            Some("forwarded")
        }
        Event::QuestionAnswered(events::QuestionAnswered { question, .. }) if *question == id => {
            Some("answered")
        }
        Event::TaskUnblocked(events::TaskUnblocked { reason, .. }) if *reason == block_reason => {
            Some("unblocked")
        }
        Event::QuestionDelivered(events::QuestionDelivered { question, .. }) if *question == id => {
            Some("delivered")
        }
        Event::QuestionResumed(events::QuestionResumed { question }) if *question == id => Some("resumed"),
        _ => None,
    };
    events.iter().filter_map(step).collect()
}

/// Returns the turns of a task, and checks that their numbers have no gaps.
fn conversation(rows: &Rows, task: &str) -> Vec<(TurnSpeaker, String)> {
    let of_task: Vec<_> = rows.turns.iter().filter(|turn| turn.conversation().to_string() == task).collect();
    let numbers: Vec<usize> = of_task.iter().map(|turn| turn.index as usize).collect();
    assert_eq!(numbers, (0..of_task.len()).collect::<Vec<_>>());
    of_task.iter().map(|turn| (turn.role, turn.content.clone())).collect()
}
