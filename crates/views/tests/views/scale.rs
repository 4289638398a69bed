//! The cost of an event does not depend on the number of tasks.

use domain::{CompletionProof, Event, PlannedTask, SessionId, events};

use crate::sample_log::{SampleLog, parse_task_id, sample_agent_name};

const N_TASKS: u32 = 5_000;

#[test]
fn an_event_changes_few_rows_of_many() {
    // All tasks but the first and the last are parallel; the last depends on all of them.
    let id = |n: u32| parse_task_id(&format!("T{n}"));
    let mut tasks: Vec<_> = (1..=N_TASKS).map(|n| PlannedTask::new(id(n), 1, format!("Title {n}"))).collect();
    tasks[N_TASKS as usize - 1].depends_on = (1..N_TASKS).map(id).collect();
    let mut log = SampleLog::with_planned_tasks(tasks);
    for n in 1..N_TASKS {
        let session = SessionId(n);
        let events = [
            Event::TasksBecameReady(events::TasksBecameReady { tasks: vec![id(n)] }),
            Event::TaskStarted(events::TaskStarted {
                task: id(n),
                attempt: 1,
                agent: sample_agent_name(),
                session,
            }),
            Event::TaskDone(events::TaskDone { task: id(n), proof: CompletionProof::Checked }),
        ];
        for event in events {
            let changes = log.record(event);
            assert!(changes.len() <= 6, "{n}: {}", changes.len());
            let bytes: usize =
                changes.iter().filter_map(|change| change.row.as_ref()).map(|row| row.to_json().len()).sum();
            assert!(bytes < 8_000, "{n}: {bytes} bytes");
        }
    }
    let last = log.views.rows().tasks.get(&id(N_TASKS)).unwrap();
    assert_eq!((last.n_waits_for, last.waits_for.len()), (0, 0));
}
