//! A change of a plan, in Korean.

use domain::{PlanChanges, PlanField};

use super::parts::list;
use crate::plans::Changed;

/// Returns a change in one line.
pub(crate) fn summary(changes: &PlanChanges) -> String {
    let changed = Changed::of(changes);
    let some = |what: &str, names: &[String]| match names {
        [] => None,
        names => Some(format!("{what} {}", list(names))),
    };
    let parts = [
        some("새 단계", &changed.phases_new),
        some("바뀐 단계", &changed.phases_changed),
        some("새 작업", &changed.new),
        some("돌아온 작업", &changed.back),
        some("바뀐 작업", &changed.changed),
        some("없어졌거나 완료로 표시된 작업", &changed.gone),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Returns what a plan calls one thing that it says about a task.
pub(super) fn field_word(field: PlanField) -> &'static str {
    match field {
        PlanField::Phase => "단계",
        PlanField::Title => "제목",
        PlanField::Text => "설명",
        PlanField::Acceptance => "완료 조건",
        PlanField::DependsOn => "먼저 할 작업",
        PlanField::External => "계획 바깥의 조건",
        PlanField::Agent => "에이전트",
        PlanField::Tester => "테스터",
        PlanField::Touches => "고칠 파일",
        PlanField::Verify => "검증",
        PlanField::Timeout => "제한 시간",
        PlanField::Priority => "우선순위",
        PlanField::Complexity => "난이도",
        PlanField::Budget => "예산",
        PlanField::Worktree => "작업 트리",
        PlanField::Status => "상태",
    }
}
