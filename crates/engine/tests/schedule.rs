//! Properties of the schedule for random graphs, limits and sequences of steps.

use std::num::NonZeroU32;

use domain::Priority;
use engine::{AgentIndex, Graph, Node, Schedule, ScheduleLimits, TaskRequirements, TouchedPaths};
use proptest::prelude::*;

const N_AGENTS: usize = 2;
const TOUCHED: [&str; 5] = ["src/a", "src/b", "src", "docs", "lock:database"];

#[derive(Debug, Clone)]
struct ScheduleCase {
    edges: Vec<(usize, usize)>,
    tasks: Vec<TaskCase>,
    slots: u32,
    agent_slots: [u32; N_AGENTS],
    memory: Option<u64>,
    steps: Vec<(ScheduleStep, prop::sample::Index)>,
}

#[derive(Debug, Clone)]
struct TaskCase {
    duration: u64,
    priority: Priority,
    agent: usize,
    memory: u64,
    touches: Vec<&'static str>,
}

#[derive(Debug, Clone, Copy)]
enum ScheduleStep {
    Finish,
    Block,
    Unblock,
    Retry,
    Fail,
    Prioritize,
}

fn task_strategy() -> impl Strategy<Value = TaskCase> {
    let priority =
        prop::sample::select(vec![Priority::Low, Priority::Normal, Priority::High, Priority::Critical]);
    let touches = prop::collection::vec(prop::sample::select(TOUCHED.to_vec()), 0..2);
    (1_u64..50, priority, 0..N_AGENTS, 0_u64..4, touches).prop_map(
        |(duration, priority, agent, memory, touches)| TaskCase {
            duration,
            priority,
            agent,
            memory,
            touches,
        },
    )
}

fn schedule_case_strategy() -> impl Strategy<Value = ScheduleCase> {
    let step = prop::sample::select(vec![
        ScheduleStep::Finish,
        ScheduleStep::Finish,
        ScheduleStep::Finish,
        ScheduleStep::Block,
        ScheduleStep::Unblock,
        ScheduleStep::Retry,
        ScheduleStep::Fail,
        ScheduleStep::Prioritize,
    ]);
    let edges = prop::collection::vec((0_usize..30, 0_usize..30), 0..60);
    let limits = (1_u32..5, [1_u32..4, 1_u32..4], prop::option::of(2_u64..8));
    (
        prop::collection::vec(task_strategy(), 1..30),
        edges,
        limits,
        prop::collection::vec((step, any::<prop::sample::Index>()), 0..120),
    )
        .prop_map(|(tasks, edges, (slots, agent_slots, memory), steps)| {
            let n_tasks = tasks.len();
            // From a smaller number to a larger one, so that there is no cycle.
            let edges = edges.into_iter().filter(|(from, to)| from < to && *to < n_tasks).collect();
            ScheduleCase { edges, tasks, slots, agent_slots, memory, steps }
        })
}

/// A simple model of the schedule.
#[derive(Default)]
struct ScheduleModel {
    running: Vec<usize>,
    blocked: Vec<usize>,
    met: Vec<usize>,
    failed: Vec<usize>,
}

impl ScheduleCase {
    fn build_schedule(&self) -> Schedule {
        let durations: Vec<u64> = self.tasks.iter().map(|task| task.duration).collect();
        let requirements = self.tasks.iter().map(|task| TaskRequirements {
            priority: task.priority,
            agent: AgentIndex(task.agent),
            memory: task.memory,
            touches: TouchedPaths::parse(&task.touches),
        });
        let count = |number: u32| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
        let limits = ScheduleLimits {
            slots: count(self.slots),
            agents: self.agent_slots.map(count).to_vec(),
            memory: self.memory,
        };
        let graph = Graph::new(&durations, &self.edges).unwrap_or_default();
        Schedule::new(graph, requirements.collect(), limits)
    }

    fn has_unmet_dependency(&self, task: usize, model: &ScheduleModel) -> bool {
        self.edges.iter().any(|(earlier, later)| *later == task && !model.met.contains(earlier))
    }

    /// Returns why a task cannot start beside the running ones.
    fn obstacle(&self, task: usize, model: &ScheduleModel) -> Option<&'static str> {
        let touches = TouchedPaths::parse(&self.tasks[task].touches);
        let of_agent = |other: &&usize| self.tasks[**other].agent == self.tasks[task].agent;
        let used: u64 = model.running.iter().map(|other| self.tasks[*other].memory).sum();
        if self.has_unmet_dependency(task, model) {
            Some("unmet dependency")
        } else if model.running.len() >= self.slots as usize {
            Some("no slot")
        } else if model.running.iter().filter(of_agent).count()
            >= self.agent_slots[self.tasks[task].agent] as usize
        {
            Some("no slot of its agent")
        } else if model
            .running
            .iter()
            .any(|other| TouchedPaths::parse(&self.tasks[*other].touches).overlaps(&touches))
        {
            Some("shared path")
        } else if !model.running.is_empty()
            && self.memory.is_some_and(|limit| used + self.tasks[task].memory > limit)
        {
            Some("no memory")
        } else {
            None
        }
    }

    fn is_not_started(&self, task: usize, model: &ScheduleModel) -> bool {
        ![&model.running, &model.blocked, &model.met, &model.failed].iter().any(|list| list.contains(&task))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn exactly_the_startable_tasks_start(case in schedule_case_strategy()) {
        let mut schedule = case.build_schedule();
        let mut model = ScheduleModel::default();
        for (step, choice) in std::iter::once(None).chain(case.steps.iter().map(Some)).map(|step| step.cloned().unzip()) {
            let chosen = |list: &[usize]| choice.filter(|_| !list.is_empty()).map(|choice| *choice.get(list));
            let take = |list: &mut Vec<usize>| {
                let task = chosen(list)?;
                list.retain(|other| *other != task);
                Some(task)
            };
            match step {
                None => {}
                Some(ScheduleStep::Finish) => if let Some(task) = take(&mut model.running) {
                    schedule.mark_met(Node::from_index(task));
                    model.met.push(task);
                },
                Some(ScheduleStep::Block) => if let Some(task) = take(&mut model.running) {
                    schedule.block(Node::from_index(task));
                    model.blocked.push(task);
                },
                Some(ScheduleStep::Unblock) => if let Some(task) = take(&mut model.blocked) {
                    schedule.unblock(Node::from_index(task));
                },
                Some(ScheduleStep::Retry) => if let Some(task) = take(&mut model.running).or_else(|| take(&mut model.failed)) {
                    schedule.retry(Node::from_index(task));
                },
                Some(ScheduleStep::Fail) => if let Some(task) = take(&mut model.running).or_else(|| take(&mut model.blocked)) {
                    schedule.mark_failed(Node::from_index(task));
                    model.failed.push(task);
                },
                Some(ScheduleStep::Prioritize) => {
                    let all: Vec<usize> = (0..case.tasks.len()).collect();
                    if let Some(task) = chosen(&all) {
                        schedule.set_priority(Node::from_index(task), Priority::Critical);
                    }
                }
            }
            while let Some(node) = schedule.start_next() {
                let task = node.index();
                prop_assert!(case.is_not_started(task, &model), "{task} is not open");
                prop_assert_eq!(case.obstacle(task, &model), None, "{} started", task);
                model.running.push(task);
            }
            for task in (0..case.tasks.len()).filter(|task| case.is_not_started(*task, &model)) {
                prop_assert!(case.obstacle(task, &model).is_some(), "{task} could start but does not");
            }
            prop_assert_eq!(schedule.running().len(), model.running.len());
        }
    }
}

fn requirements_with_priority(priority: Priority) -> TaskRequirements {
    TaskRequirements { priority, agent: AgentIndex(0), memory: 0, touches: TouchedPaths::default() }
}

fn start_order(durations: &[u64], edges: &[(usize, usize)], priorities: &[Priority]) -> Vec<usize> {
    let limits = ScheduleLimits { slots: NonZeroU32::MIN, agents: vec![NonZeroU32::MAX], memory: None };
    let graph = Graph::new(durations, edges).unwrap_or_default();
    let mut schedule = Schedule::new(
        graph,
        priorities.iter().map(|priority| requirements_with_priority(*priority)).collect(),
        limits,
    );
    let mut order = Vec::new();
    while let Some(node) = schedule.start_next() {
        order.push(node.index());
        schedule.mark_met(node);
    }
    order
}

#[test]
fn ready_tasks_start_by_priority_then_critical_path() {
    use Priority::{High, Normal};
    assert_eq!(start_order(&[1, 1, 1], &[], &[Normal, High, Normal]), [1, 0, 2]);
    assert_eq!(start_order(&[1, 5, 1, 9], &[(2, 3)], &[Normal; 4]), [2, 3, 1, 0]);
}

#[test]
fn unblocked_task_resumes_before_new_tasks_start() {
    let limits = ScheduleLimits { slots: NonZeroU32::MIN, agents: vec![NonZeroU32::MAX], memory: None };
    let graph = Graph::new(&[1, 9, 9], &[]).unwrap_or_default();
    let mut schedule = Schedule::new(
        graph,
        vec![
            requirements_with_priority(Priority::Low),
            requirements_with_priority(Priority::High),
            requirements_with_priority(Priority::High),
        ],
        limits,
    );
    assert_eq!(schedule.start_next(), Some(Node::from_index(1)));
    schedule.block(Node::from_index(1));
    assert_eq!(schedule.start_next(), Some(Node::from_index(2)));
    schedule.unblock(Node::from_index(1));
    assert_eq!(schedule.start_next(), None);
    schedule.mark_met(Node::from_index(2));
    assert_eq!(schedule.start_next(), Some(Node::from_index(1)));
}
