//! The way of a question: from a worker through the orchestrator to the person, and the answer back to its task alone.

use domain::{Actor, BlockReason, Command, Event, QuestionId, QuestionRoute, Role, RunOutcome};
use views::{QuestionState, Rows, TaskState, TurnSpeaker};

use crate::lab::{Agent, Lab, agent, plan};

/// Asks one question with options, and writes down all that comes back.
const ASKS: &str = r#"
read -r task
printf '[ASK_USER]\nquestion: Which colour for %s?\noptions: ["red", "blue"]\n[/ASK_USER]\n' "$JANGDAN_TASK"
read -r answer
printf '%s\n' "$answer" >> "answer-$JANGDAN_TASK.json"
echo "DONE:$JANGDAN_TASK"
"#;

/// Answers about T1 itself, and hands everything else on.
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
fn the_orchestrator_answers_by_ending_its_turn_and_no_person_hears_of_it() {
    let lab = led();
    let run = lab.start(plan(&["T1"]));
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert!(lab.show(&run, "answer-T1.json").contains("Take blue."), "{}", lab.show(&run, "answer-T1.json"));
    let rows = lab.rows(&run);
    let question = rows.questions.iter().next().unwrap();
    assert_eq!(question.status, QuestionState::Resumed);
    assert!(matches!(question.answered_by, Some(Actor::Agent(_))), "{:?}", question.answered_by);
    assert_eq!(routes(&lab.events(&run)), [QuestionRoute::Orchestrator]);
    let chat: Vec<String> =
        rows.chat.iter().filter(|row| row.question.is_some()).map(|row| row.text.clone()).collect();
    assert_eq!(chat, Vec::<String>::new(), "nobody was asked");
}

#[test]
fn what_the_orchestrator_hands_on_keeps_its_options_and_the_answer_goes_to_the_worker_alone() {
    let lab = led();
    let run = lab.start(plan(&["T2"]));
    let question = lab.until_pending(&run, 1).remove(0);
    assert_eq!(question.text, "Red or blue, what do you like?");
    assert_eq!(question.original_text.as_deref(), Some("Which colour for T2?"));
    assert_eq!(question.options, ["red", "blue"]);
    let rows = lab.rows(&run);
    let task = rows.tasks.get(&"T2".parse().unwrap()).unwrap();
    assert_eq!(task.state, TaskState::Blocked);
    assert_eq!(task.blocked[0].reason, BlockReason::Question { question: question.id });
    assert_eq!(task.question.as_ref().unwrap().text, "Red or blue, what do you like?");
    lab.answer(&run, question.id, "red");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    assert!(lab.show(&run, "answer-T2.json").contains(r#""answer":"red""#));
    assert!(!lab.met("orchestrator").contains("question_answer"), "{}", lab.met("orchestrator"));
    assert_eq!(
        story(&lab.events(&run), question.id),
        ["asked", "blocked", "orchestrator", "forwarded", "answered", "unblocked", "delivered", "resumed"]
    );
}

#[test]
fn the_whole_conversation_of_a_task_is_there_in_order_without_gaps() {
    let lab = led();
    let run = lab.start(plan(&["T2"]));
    let question = lab.until_pending(&run, 1).remove(0);
    lab.answer(&run, question.id, "red");
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let said = conversation(&lab.rows(&run), "T2");
    let expected = [
        (TurnSpeaker::Orchestrator, "Do task T2."),
        (TurnSpeaker::Agent, "Which colour for T2?\n- red\n- blue"),
        (TurnSpeaker::Orchestrator, "Red or blue, what do you like?\n- red\n- blue"),
        (TurnSpeaker::Orchestrator, "Answer to q_1: red"),
        (TurnSpeaker::Agent, "DONE:T2\n"),
    ];
    let mut rest = said.iter();
    for (speaker, text) in expected {
        let is_there = rest.any(|(by, said)| (*by, said.as_str()) == (speaker, text));
        assert!(is_there, "{text:?} is not in its place in {said:?}");
    }
}

#[test]
fn the_rule_of_need_human_is_in_the_orchestrators_prompt_alone() {
    let hears = r#"
hear() {
    while read -r line; do
        printf '%s\n' "$line" >> "$BARRIER/told-$1"
        case $line in *'Never print a secret'*) return ;; esac
    done
}
"#;
    let asks = format!(
        "{hears}\nhear worker\nprintf '[ASK_USER]\\nquestion: Why?\\n[/ASK_USER]\\n'\nread -r answer\nread -r answer\n\
         echo \"DONE:$JANGDAN_TASK\"\n"
    );
    let leads = format!("{hears}\nhear orchestrator\nsleep 0.1\necho 'Because.'\nread -r more\n");
    let text = |name, role, script| Agent { name, role, script, preset: "form = 'text'" };
    let lab =
        Lab::with_team(&[text("worker", Role::Worker, &asks), text("lead", Role::Orchestrator, &leads)]);
    let run = lab.start(plan(&["T1"]));
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    let (worker, lead) = (lab.met("told-worker"), lab.met("told-orchestrator"));
    assert!(lead.contains("[NEED_HUMAN"), "{lead}");
    assert!(worker.contains("[ASK_USER") && !worker.contains("NEED_HUMAN"), "{worker}");
}

#[test]
fn three_questions_at_once_are_never_mixed_up_and_chat_needs_exactly_one() {
    let lab = Lab::new(ASKS);
    let run = lab.start(plan(&["T1", "T2", "T3"]));
    let pending = lab.until_pending(&run, 3);
    let refusal = lab.refused(&run, chat("blue"));
    for question in &pending {
        assert!(refusal.contains(&question.id.to_string()), "{refusal}");
    }
    for question in pending.iter().rev().take(2) {
        lab.answer(&run, question.id, &format!("answer to {}", question.id));
    }
    lab.until_pending(&run, 1);
    lab.wish(&run, chat("answer by chat"));
    assert_eq!(lab.outcome(&run), RunOutcome::Done);
    for question in lab.rows(&run).questions.iter() {
        let file = lab.show(&run, &format!("answer-{}.json", question.task.as_ref().unwrap()));
        assert_eq!(file.lines().count(), 1, "{file}");
        assert!(file.contains(question.answer.as_ref().unwrap()), "{file}");
        assert!(file.contains(&format!(r#""questionId":"{}""#, question.id)), "{file}");
    }
}

#[test]
fn a_question_of_a_cancelled_task_is_withdrawn_and_takes_no_answer() {
    let lab = Lab::new(ASKS);
    let run = lab.start(plan(&["T1", "T2"]));
    let pending = lab.until_pending(&run, 2);
    let of =
        |task: &str| pending.iter().find(|row| row.task.as_ref().unwrap().to_string() == task).unwrap().id;
    lab.wish(&run, Command::CancelTask("T1".parse().unwrap()));
    assert_eq!(lab.until_pending(&run, 1)[0].id, of("T2"));
    let rows = lab.rows(&run);
    assert_eq!(rows.questions.get(&of("T1")).unwrap().status, QuestionState::Withdrawn);
    let refusal = lab.refused(&run, crate::lab::answer_to(of("T1"), "red"));
    assert!(refusal.contains("withdrawn"), "{refusal}");
    lab.wish(&run, chat("blue"));
    lab.until_task(&run, "T2", TaskState::Done);
    assert!(lab.show(&run, "answer-T2.json").contains("blue"));
}

fn led() -> Lab {
    Lab::with_team(&[agent("worker", Role::Worker, ASKS), agent("lead", Role::Orchestrator, LEADS)])
}

fn chat(text: &str) -> Command {
    Command::Chat { text: text.to_owned(), talk_only: false }
}

fn routes(events: &[Event]) -> Vec<QuestionRoute> {
    let route = |event: &Event| match event {
        Event::QuestionRouted { to, .. } => Some(*to),
        _ => None,
    };
    events.iter().filter_map(route).collect()
}

/// Returns what happened to a question and to the task that waits for it.
fn story(events: &[Event], id: QuestionId) -> Vec<&'static str> {
    let waits = BlockReason::Question { question: id };
    let word = |event: &Event| match event {
        Event::QuestionAsked { question, .. } if *question == id => Some("asked"),
        Event::TaskBlocked { reason, .. } if *reason == waits => Some("blocked"),
        Event::QuestionRouted { question, to: QuestionRoute::Orchestrator } if *question == id => {
            Some("orchestrator")
        }
        Event::QuestionRouted { question, to: QuestionRoute::Person } if *question == id => Some("person"),
        Event::QuestionForwarded { question, .. } if *question == id => Some("forwarded"),
        Event::QuestionAnswered { question, .. } if *question == id => Some("answered"),
        Event::TaskUnblocked { reason, .. } if *reason == waits => Some("unblocked"),
        Event::QuestionDelivered { question, .. } if *question == id => Some("delivered"),
        Event::QuestionResumed { question } if *question == id => Some("resumed"),
        _ => None,
    };
    events.iter().filter_map(word).collect()
}

/// Returns the turns of a task; their numbers have no gaps.
fn conversation(rows: &Rows, task: &str) -> Vec<(TurnSpeaker, String)> {
    let of_task: Vec<_> = rows.turns.iter().filter(|turn| turn.task.to_string() == task).collect();
    let numbers: Vec<usize> = of_task.iter().map(|turn| turn.index as usize).collect();
    assert_eq!(numbers, (0..of_task.len()).collect::<Vec<_>>());
    of_task.iter().map(|turn| (turn.role, turn.content.clone())).collect()
}
