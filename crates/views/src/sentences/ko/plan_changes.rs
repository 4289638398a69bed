//! Summarizes a change of the plan in Korean.

use domain::{PlanChanges, PlanField};

use super::phrases::join_leading_names;
use crate::sentences::en::plan_changes::PlanChangeIds;

/// Returns a change in one line.
pub fn summarize_plan_changes(changes: &PlanChanges) -> String {
    let ids = PlanChangeIds::of(changes);
    let part = |noun: &str, ids: &[String]| match ids {
        [] => None,
        ids => Some(format!("{noun} {}", join_leading_names(ids))),
    };
    let parts = [
        part("추가된 단계", &ids.phases_added),
        part("변경된 단계", &ids.phases_changed),
        part("추가된 작업", &ids.tasks_added),
        part("복원된 작업", &ids.tasks_restored),
        part("변경된 작업", &ids.tasks_changed),
        part("삭제되거나 완료로 표시된 작업", &ids.tasks_removed),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Returns the name of a field of a task in the plan.
pub fn plan_field_name(field: PlanField) -> &'static str {
    match field {
        PlanField::Phase => "단계",
        PlanField::Title => "제목",
        PlanField::Text => "설명",
        PlanField::Acceptance => "완료 조건",
        PlanField::DependsOn => "선행 작업",
        PlanField::External => "외부 의존성",
        PlanField::Agent => "에이전트",
        PlanField::Tester => "테스터",
        PlanField::Touches => "변경할 파일",
        PlanField::Verify => "검증",
        PlanField::Timeout => "제한 시간",
        PlanField::Priority => "우선순위",
        PlanField::Complexity => "난이도",
        PlanField::Budget => "예산",
        PlanField::Worktree => "워크트리",
        PlanField::Status => "상태",
    }
}
