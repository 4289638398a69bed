//! Properties of every plan and every file, including malformed ones.

#![expect(clippy::unwrap_used, reason = "a failed setup must fail the test")]

use domain::{Budget, Complexity, Priority};
use plan::{
    MarkDoneOutcome, ParseOptions, Phase, Plan, PlanFormat, Task, TaskGraph, mark_done, parse, to_tasks_md,
};
use proptest::{collection::vec, prelude::*, sample::select};

const ANY: ParseOptions<'static> = ParseOptions { format: None, tag: None };
const TASKS_MD: ParseOptions<'static> = ParseOptions { format: Some(PlanFormat::TasksMd), tag: None };

/// Building blocks of plan files, so that random files contain tasks.
const PIECES: [&str; 70] = [
    "# Title\n",
    "## Phase 1: Build\n",
    "## 2단계: 설계\n",
    "## M3\n",
    "## Phase 3.1: x\n",
    "### T1: a\n",
    "### T1.2: b #\n",
    "### [ ] T2: c\n",
    "### P1-T1.3: d\n",
    "#### 1.2: e\n",
    "### FE/T1: f\n",
    "- [ ] P5/T1.1 g (depends on FE/T1)\n",
    "| FE/T3 | h | FE/T1 / FE/T2 | |\n",
    "- **Dependencies**: FE/T1-FE/T3\n",
    "- [ ] T001 [P] [US1] x `src/a.rs`\n",
    "- [x] T002 y (depends on T001)\n",
    "  - [ ] T003 nested\n",
    "- [ ] 1. k\n",
    "  - [ ] 1.1 l\n",
    "  - [ ]* 1.2 m\n",
    "    - _Requirements: 1.1, 2.3_\n",
    "- [-] 2. n\n",
    "| ID | Task | Dependencies | Status |\n|---|---|---|---|\n",
    "| T1 | a \\| b | - | done |\n",
    "| T2 | c | T1-T9 | |\n",
    "| T3 | x |\n",
    "| P2-T3.1 | y | T1, Epic 3 | [ ] |\n",
    "- **Dependencies**: T1, T2-T9 및 Epic 3\n",
    "- **Status**: done\n",
    "- **Status**:\n",
    "- **Priority**: urgent\n",
    "- **Timeout**: 30m\n",
    "- **Budget**: $2.50\n",
    "- **Description**: text\n",
    "- **Description**:\n\n  # no heading\n  more\n",
    "- **Acceptance Criteria**:\n  - [ ] one\n    more\n  - two\n",
    "- **Verify**: `a`\n",
    "- **Verify**:\n  ```sh\n  a\n  b\n  ```\n",
    "- **Touches**: `a,b`, c\n",
    "- **Layer**: CODE\n",
    "- **Complexity**: L (Large)\n",
    "- **Phase**: 2\n",
    "- **After**: 1\n",
    "- **Notes**: kept\n",
    "**Agent**: x\n",
    "```\n### T9: code\n```\n",
    "<!-- - [ ] T099 -->\n",
    "> ### T8: quoted\n",
    "---\n",
    "===\n",
    "prose\n",
    "\n",
    "  ",
    "\t",
    "    ",
    "- ",
    "* ",
    "`",
    "``` ",
    "~~~\n",
    "|",
    "\r",
    "\r\n",
    "\u{feff}",
    "한글 ",
    "## Dependencies\n",
    "T5",
    "-T9",
    "<br>",
    "<script>\n",
];

fn any_markdown() -> impl Strategy<Value = String> {
    vec(prop_oneof![8 => select(&PIECES[..]).prop_map(str::to_owned), 1 => ".{0,8}"], 0..24)
        .prop_map(|pieces| pieces.concat())
}

fn any_taskmaster_json() -> impl Strategy<Value = String> {
    let value = || {
        select(
            &[
                "1",
                "2",
                "\"3\"",
                "1.1",
                "\"2.1\"",
                "null",
                "[1,\"2.1\",9]",
                "\"done\"",
                "\"deferred\"",
                "\"high\"",
                "{}",
                "\"a\\nb\"",
                "[]",
            ][..],
        )
    };
    let key =
        || select(&["id", "title", "status", "dependencies", "priority", "details", "testStrategy"][..]);
    let fields = || {
        vec((key(), value()), 0..6).prop_map(|fields| {
            fields.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect::<Vec<_>>().join(", ")
        })
    };
    let task = (1..6_u8, fields(), vec((1..4_u8, fields()), 0..3)).prop_map(|(id, fields, subtasks)| {
        let subtasks: Vec<_> = subtasks
            .iter()
            .map(|(id, fields)| format!("{{\"id\": {id}, {fields}}}").replace(", }", "}"))
            .collect();
        format!("{{\"id\": {id}, \"subtasks\": [{}], {fields}}}", subtasks.join(",")).replace(", }", "}")
    });
    (vec(task, 0..5), any::<bool>()).prop_map(|(tasks, is_tagged)| {
        let tasks = format!("{{\"tasks\": [{}]}}", tasks.join(",\n"));
        if is_tagged { format!("{{\"master\": {tasks}}}") } else { tasks }
    })
}

fn any_file_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => any_markdown().prop_map(String::into_bytes),
        2 => any_taskmaster_json().prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 0..200),
        1 => ".{0,200}".prop_map(String::into_bytes),
    ]
}

fn any_plan_format() -> impl Strategy<Value = Option<PlanFormat>> {
    prop_oneof![Just(None), select(&PlanFormat::ALL[..]).prop_map(Some)]
}

/// Text with everything that Markdown could misinterpret.
fn any_text() -> impl Strategy<Value = String> {
    vec(
        prop_oneof![
            6 => select(&PIECES[..]).prop_map(str::to_owned),
            1 => "[ -~가-힣\n\t]{0,12}",
            1 => ".{0,6}",
        ],
        0..6,
    )
    .prop_map(|pieces| pieces.concat())
}

fn any_line() -> impl Strategy<Value = String> {
    any_text().prop_map(|text| text.split(['\n', '\r']).next().unwrap_or_default().trim().to_owned())
}

fn any_nonempty_line() -> impl Strategy<Value = String> {
    any_line().prop_map(|line| if line.is_empty() { "x".to_owned() } else { line })
}

/// The normal form of a text, implemented independently.
fn normalize_text(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = text.split('\n').collect();
    let first = lines.iter().position(|line| !line.trim().is_empty()).unwrap_or(lines.len());
    lines[first..].join("\n").trim_end().to_owned()
}

fn any_budget() -> impl Strategy<Value = Budget> {
    prop_oneof![(0..u64::MAX).prop_map(Budget::Tokens), (0..u64::MAX).prop_map(Budget::Cents)]
}

prop_compose! {
    fn any_task_details()(
        title in any_line(),
        external in vec(any_nonempty_line(), 0..3),
        names in (prop::option::of(any_nonempty_line()), prop::option::of(any_nonempty_line()), prop::option::of(any_nonempty_line())),
        verify in prop::option::of(any_text()),
        worktree in prop::option::of(any_nonempty_line()),
        flags in (any::<bool>(), any::<bool>()),
        text in any_text(),
        acceptance in vec(any_text(), 0..3),
        touches in vec(any_nonempty_line(), 0..3),
        references in vec(any_nonempty_line(), 0..3),
        timeout_seconds in prop::option::of(1..u64::MAX),
        priority in select(&[Priority::Low, Priority::Normal, Priority::High, Priority::Critical][..]),
        complexity in prop::option::of(select(&[Complexity::S, Complexity::M, Complexity::L, Complexity::Xl][..])),
        budget in prop::option::of(any_budget()),
    ) -> Task {
        let mut task = Task::new("1".parse().unwrap(), title);
        task.external = external;
        task.external.dedup();
        let mut seen = std::collections::HashSet::new();
        task.external.retain(|name| seen.insert(name.clone()));
        (task.agent, task.tester, task.layer) = names;
        // The sign of a mention is not a part of the name.
        for name in [&mut task.agent, &mut task.tester].into_iter().flatten() {
            if name.starts_with('@') {
                name.insert(0, 'x');
            }
        }
        task.verify = verify.map(|text| normalize_text(&text)).filter(|text| !text.is_empty()).map(|text| if text.contains('\n') { text } else { text.trim().to_owned() });
        task.worktree = worktree;
        (task.done, task.optional) = flags;
        task.text = normalize_text(&text);
        task.acceptance = acceptance.iter().map(|text| normalize_text(text).trim_start().to_owned()).filter(|text| !matches!(text.to_lowercase().as_str(), "" | "-" | "–" | "—" | "없음" | "none" | "n/a")).collect();
        task.touches = touches;
        task.references = references;
        task.timeout_seconds = timeout_seconds;
        task.priority = priority;
        task.complexity = complexity;
        task.budget = budget;
        task
    }
}

/// A plan that the parser could have returned.
fn any_plan() -> impl Strategy<Value = Plan> {
    let ids = prop_oneof![Just("T"), Just(""), Just("T1."), Just("T00")];
    (
        any_line(),
        ids,
        vec((any_task_details(), 0..4_u32, vec(any::<prop::sample::Index>(), 0..3)), 0..6),
        vec((any_line(), vec(0..4_u32, 0..3), any_task_details(), vec(any_budget(), 0..3)), 4),
    )
        .prop_map(|(title, prefix, details, phases)| {
            let n_tasks = details.len();
            let mut tasks: Vec<Task> = Vec::new();
            for (index, (task, phase, dependencies)) in details.into_iter().enumerate() {
                let id = |index: usize| format!("{prefix}{}", index + 1).parse().unwrap();
                let mut dependencies: Vec<usize> =
                    dependencies.iter().map(|dependency| dependency.index(n_tasks)).collect();
                dependencies.sort_unstable();
                dependencies.dedup();
                tasks.push(Task {
                    id: id(index),
                    phase,
                    depends_on: dependencies.into_iter().map(id).collect(),
                    ..task
                });
            }
            let phases: Vec<Phase> = phases
                .into_iter()
                .enumerate()
                .map(|(number, (name, after, like, budgets))| {
                    let number = u32::try_from(number).unwrap();
                    let ids = tasks
                        .iter()
                        .filter(|task| task.phase == number)
                        .map(|task| task.id.clone())
                        .collect();
                    Phase {
                        number,
                        name,
                        after,
                        tasks: ids,
                        verify: like.verify,
                        artefacts: like.touches,
                        budgets,
                    }
                })
                .filter(|phase| !phase.tasks.is_empty())
                .collect();
            let numbers: Vec<u32> = phases.iter().map(|phase| phase.number).collect();
            let phases = phases.into_iter().map(|mut phase| {
                phase.after.retain(|number| numbers.contains(number));
                phase.after.sort_unstable();
                phase.after.dedup();
                phase
            });
            Plan { title, phases: phases.collect(), tasks }
        })
}

/// Removes line numbers, which depend on the file and not on the plan.
fn without_line_numbers(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    plan.tasks.iter_mut().for_each(|task| task.line = 0);
    plan
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn parsing_never_panics_and_every_span_is_in_the_file(source in any_file_bytes(), format in any_plan_format()) {
        let parsed = parse(&source, ParseOptions { format, tag: None });
        for diagnostic in &parsed.diagnostics {
            prop_assert!(diagnostic.span.start <= diagnostic.span.end);
            prop_assert!(diagnostic.span.end <= source.len(), "{diagnostic:?}");
        }
        prop_assert!(!parsed.plan.tasks.is_empty() || parsed.has_errors());
        let graph = TaskGraph::new(&parsed.plan);
        let order = graph.topological_order();
        prop_assert!(order.len() <= parsed.plan.tasks.len());
        prop_assert!(graph.max_parallel_tasks() <= order.len());
        let path = graph.critical_path();
        prop_assert!(path.len() <= order.len());
        serde_json::to_string(&plan::PlanReport::new(&parsed, &source, domain::Locale::Ko)).unwrap();
    }

    #[test]
    fn mark_done_changes_one_span_and_completes_one_task(source in any_file_bytes(), format in any_plan_format()) {
        let options = ParseOptions { format, tag: None };
        let before = parse(&source, options);
        for (index, task) in before.plan.tasks.iter().enumerate() {
            let MarkDoneOutcome::Edit(edit) = mark_done(&source, options, &task.id) else { continue };
            let ticked = edit.apply(&source);
            prop_assert_eq!(&ticked[..edit.span.start], &source[..edit.span.start]);
            let n_after = source.len() - edit.span.end;
            prop_assert_eq!(&ticked[ticked.len() - n_after..], &source[edit.span.end..]);
            prop_assert_eq!(ticked.len(), source.len() - edit.span.len() + edit.replacement.len());
            let mut expected = before.plan.clone();
            expected.tasks[index].done = true;
            prop_assert_eq!(parse(&ticked, options).plan, expected, "{:?}", String::from_utf8_lossy(&ticked));
        }
    }

    #[test]
    fn a_written_plan_parses_back_to_itself(plan in any_plan()) {
        let written = to_tasks_md(&plan);
        let parsed = parse(written.as_bytes(), TASKS_MD);
        prop_assert_eq!(without_line_numbers(&parsed.plan), without_line_numbers(&plan), "{}", written);
    }

    #[test]
    fn a_parsed_plan_survives_writing_and_parsing(source in any_file_bytes(), format in any_plan_format()) {
        let plan = parse(&source, ParseOptions { format, tag: None }).plan;
        let written = to_tasks_md(&plan);
        let again = parse(written.as_bytes(), TASKS_MD).plan;
        prop_assert_eq!(without_line_numbers(&again), without_line_numbers(&plan), "{}", written);
    }

    #[test]
    fn line_ends_and_byte_order_mark_do_not_change_the_plan(text in any_markdown().prop_map(|text| text.replace(['\r', '\u{feff}'], ""))) {
        let plain = parse(text.as_bytes(), ANY);
        let crlf = parse(format!("\u{feff}{}", text.replace('\n', "\r\n")).as_bytes(), ANY);
        prop_assert_eq!(&crlf.plan, &plain.plan);
        prop_assert_eq!(crlf.format, plain.format);
        let messages = |parsed: &plan::ParsedPlan| parsed.diagnostics.iter().map(|found| found.problem.clone()).collect::<Vec<_>>();
        prop_assert_eq!(messages(&crlf), messages(&plain));
    }

    #[test]
    fn the_order_puts_every_task_after_its_dependencies(plan in any_plan()) {
        let graph = TaskGraph::new(&plan);
        let order = graph.topological_order();
        let cycles = graph.cycles(&plan);
        prop_assert!(order.len() == plan.tasks.len() || !cycles.is_empty());
        let has_done = plan.tasks.iter().any(|task| task.done);
        prop_assert!(order.len() < plan.tasks.len() || cycles.is_empty() || has_done);
        let position = |id| order.iter().position(|&index| plan.tasks[index].id == id);
        // With a cycle, done tasks wait for nothing.
        for &index in order.iter().filter(|index| cycles.is_empty() || !plan.tasks[**index].done) {
            for id in &plan.tasks[index].depends_on {
                prop_assert!(position(id.clone()) < position(plan.tasks[index].id.clone()));
            }
        }
    }
}
