//! Remarks about a run that can start: chosen defaults, and conditions that the user may not expect.

use std::path::PathBuf;

use domain::{AgentName, Budget, Locale, RunId};
use views::{UsageTotals, describe_used_cost, describe_used_tokens, format_tokens};

use super::files_text::{files_in_english, files_in_korean};

/// A remark for the user who starts a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartRemark {
    /// No worker is configured, and this agent was chosen.
    DefaultWorker { title: String },
    /// An agent of the plan has no configuration; the preset of the default worker is used for it.
    AgentWithoutPreset { name: AgentName, preset: String },
    /// An agent that only other agents call is not installed.
    SpecialistMissing { name: String, command: String },
    /// An agent may be signed out; its login cannot be determined reliably.
    MaybeSignedOut { title: String, how: String },
    /// The program of a check is missing now; the set-up of worktrees may install it.
    CheckProgramMissing { program: String, command: String },
    /// All agents work in the project's folder.
    InPlace,
    /// No branch is checked out.
    NoBranch,
    /// Git does not know the user who should be the author of the commits.
    NoUserIdentity,
    /// The sandbox is partly available on this machine, or not at all.
    SandboxIncomplete { is_partly: bool, reason: String },
    /// The configuration leaves submodules out.
    SubmodulesOff,
    /// A submodule is not checked out here.
    SubmoduleEmpty { path: PathBuf },
    /// Agents do not see these changes of the user's checkout.
    Uncommitted { files: Vec<PathBuf> },
    /// The run starts from a commit with these changes of the user's checkout.
    ChangesIncluded { files: Vec<PathBuf> },
    /// Limits of the run, of each phase and of each task. Agents pause there, and the user is asked.
    Budgets { run: Vec<Budget>, phase: Vec<Budget>, task: Option<Budget> },
    /// A money budget does not count these agents: they report no cost, and no prices are configured.
    CostUnknown { agents: Vec<String> },
    /// What the last complete run of the same plan used.
    LastRunUsed { run: RunId, used: UsageTotals },
    /// Another run of the project has not ended.
    OtherRunActive { run: RunId, title: String },
    /// An earlier run did some of the open tasks, and this run does them again.
    TasksRepeated { n_tasks: usize, run: RunId },
    /// An earlier run did some of the open tasks, and this run leaves them out.
    TasksLeftOut { n_tasks: usize, run: RunId },
}

/// The action that a remark suggests to the user.
enum NextStep<'a> {
    IncludeChanges,
    /// Watch the other active run.
    Watch(&'a RunId),
    /// Leave out what this run did.
    LeaveOutDone(&'a RunId),
    /// Land this run, if that was not done.
    Land(&'a RunId),
}

impl NextStep<'_> {
    fn terminal_hint(&self, locale: Locale) -> String {
        let (english, korean) = match self {
            Self::IncludeChanges => {
                ("To include them: --include-changes".to_owned(), "포함하려면: --include-changes".to_owned())
            }
            Self::Watch(run) => {
                (format!("Watch it: jangdan watch {run}"), format!("보기: jangdan watch {run}"))
            }
            Self::LeaveOutDone(_) => {
                ("To run only the others: --open".to_owned(), "나머지만 실행하려면: --open".to_owned())
            }
            Self::Land(run) => (
                format!("If its work is not in your branch yet: jangdan land {run}"),
                format!("결과를 아직 브랜치에 병합하지 않았다면: jangdan land {run}"),
            ),
        };
        match locale {
            Locale::En => english,
            Locale::Ko => korean,
        }
    }
}

impl StartRemark {
    /// Returns the sentence for the user of a terminal, with the option or command that helps, if there is one.
    pub fn text(&self, locale: Locale) -> String {
        let sentence = self.sentence(locale);
        match self.next_step() {
            Some(step) => format!("{sentence} {}", step.terminal_hint(locale)),
            None => sentence,
        }
    }

    /// Returns the sentence without options and commands of the terminal.
    pub fn sentence(&self, locale: Locale) -> String {
        match locale {
            Locale::En => self.in_english(),
            Locale::Ko => self.in_korean(),
        }
    }

    /// Returns the other run that the remark is about.
    pub fn other_run(&self) -> Option<&RunId> {
        match self.next_step()? {
            NextStep::IncludeChanges => None,
            NextStep::Watch(run) | NextStep::LeaveOutDone(run) | NextStep::Land(run) => Some(run),
        }
    }

    /// Returns what the user can do about the remark, if anything.
    fn next_step(&self) -> Option<NextStep<'_>> {
        match self {
            Self::Uncommitted { .. } => Some(NextStep::IncludeChanges),
            Self::OtherRunActive { run, .. } => Some(NextStep::Watch(run)),
            Self::TasksRepeated { run, .. } => Some(NextStep::LeaveOutDone(run)),
            Self::TasksLeftOut { run, .. } => Some(NextStep::Land(run)),
            Self::DefaultWorker { .. }
            | Self::AgentWithoutPreset { .. }
            | Self::SpecialistMissing { .. }
            | Self::MaybeSignedOut { .. }
            | Self::CheckProgramMissing { .. }
            | Self::InPlace
            | Self::NoBranch
            | Self::NoUserIdentity
            | Self::SandboxIncomplete { .. }
            | Self::SubmodulesOff
            | Self::SubmoduleEmpty { .. }
            | Self::ChangesIncluded { .. }
            | Self::Budgets { .. }
            | Self::CostUnknown { .. }
            | Self::LastRunUsed { .. } => None,
        }
    }

    fn in_english(&self) -> String {
        match self {
            Self::DefaultWorker { title } => {
                format!("{title} works on the tasks: no other agent is configured.")
            }
            Self::AgentWithoutPreset { name, preset } => format!(
                "{name} is not a configured agent: {preset} works under this name. To choose another one, add \
                 [agents.{name}] to jangdan.toml."
            ),
            Self::SpecialistMissing { name, command } => {
                format!("Agent {name} is not installed: {command} is missing. Other agents cannot call it.")
            }
            Self::MaybeSignedOut { title, how } => {
                format!("{title} seems to be signed out. To sign in: {how}")
            }
            Self::CheckProgramMissing { program, command } => format!(
                "The check `{command}` needs {program}, which is not on PATH. It can only run if worktree.setup \
                 installs it."
            ),
            Self::InPlace => "All agents work in this folder, without worktrees: tasks are not isolated and \
                              nothing is merged."
                .to_owned(),
            Self::NoUserIdentity => {
                "Git has no user.name and user.email: agents are the authors of commits. Set them, or \
                 commit.author."
                    .to_owned()
            }
            Self::NoBranch => "No branch is checked out: the work stays on the run's own branch.".to_owned(),
            Self::SandboxIncomplete { is_partly: true, reason } => {
                format!("The sandbox of agents and checks is incomplete on this machine: {reason}.")
            }
            Self::SandboxIncomplete { is_partly: false, reason } => {
                format!("Agents and checks run without a sandbox, with all your permissions: {reason}.")
            }
            Self::SubmodulesOff => {
                "Submodules are empty in worktrees: worktree.submodules is false.".to_owned()
            }
            Self::SubmoduleEmpty { path } => format!(
                "Submodule {path} is empty in worktrees, since it is not checked out here. To include it: git \
                 submodule update --init {path}",
                path = path.display()
            ),
            Self::Uncommitted { files } => {
                let (n_files, names) = files_in_english(files);
                format!(
                    "Agents start from the last commit and do not see your uncommitted changes in {n_files}: \
                     {names}."
                )
            }
            Self::ChangesIncluded { files } => {
                let (n_files, names) = files_in_english(files);
                format!("Your uncommitted changes are included, in {n_files}: {names}.")
            }
            Self::Budgets { run, phase, task } => {
                let task: Vec<Budget> = task.iter().copied().collect();
                let limits = [(run, "the run"), (phase, "each phase"), (&task, "each task")];
                let limits = limits.map(|(budgets, of)| limit_text(Locale::En, budgets, of));
                let limits: Vec<String> = limits.into_iter().flatten().collect();
                format!("Budget: at most {}. At a limit agents pause, and you are asked.", limits.join(", "))
            }
            Self::CostUnknown { agents } => format!(
                "The money budget does not count {}: no cost is reported. Set a budget of tokens, or prices \
                 of models under [prices] for agents that report tokens.",
                agents.join(", ")
            ),
            Self::LastRunUsed { run, used } => format!(
                "The last run of this plan ({run}) used {}, {}.",
                describe_used_tokens(Locale::En, used),
                describe_used_cost(Locale::En, used)
            ),
            Self::OtherRunActive { run, title } => {
                format!("Another run of this project is active: {run} ({title}). Both change the same files.")
            }
            Self::TasksRepeated { n_tasks, run } => {
                format!("Tasks that run {run} already did and that are done again: {n_tasks}.")
            }
            Self::TasksLeftOut { n_tasks, run } => {
                format!("Tasks that run {run} already did and that are left out: {n_tasks}.")
            }
        }
    }

    fn in_korean(&self) -> String {
        match self {
            Self::DefaultWorker { title } => {
                format!("설정된 에이전트가 없어 {title} 에이전트가 작업합니다.")
            }
            Self::AgentWithoutPreset { name, preset } => format!(
                "{name} 에이전트는 설정에 없어 {preset} 에이전트가 이 이름으로 작업합니다. 다른 에이전트를 쓰려면 \
                 jangdan.toml 파일에 [agents.{name}] 항목을 추가하세요."
            ),
            Self::SpecialistMissing { name, command } => format!(
                "{name} 에이전트가 설치되어 있지 않습니다({command} 없음). 다른 에이전트가 호출할 수 없습니다."
            ),
            Self::MaybeSignedOut { title, how } => {
                format!("{title} 에이전트가 로그아웃 상태인 것 같습니다. 로그인하려면: {how}")
            }
            Self::CheckProgramMissing { program, command } => format!(
                "검증 `{command}`에 필요한 {program} 프로그램이 PATH에 없습니다. worktree.setup에서 설치해야 \
                 실행할 수 있습니다."
            ),
            Self::InPlace => {
                "모든 에이전트가 워크트리 없이 이 폴더에서 작업합니다. 작업이 서로 격리되지 않으며 병합하지 않습니다."
                    .to_owned()
            }
            Self::NoUserIdentity => "git에 user.name과 user.email이 없어 커밋의 작성자가 에이전트로 표시됩니다. 두 값을 설정하거나 \
                 commit.author를 지정하세요."
                .to_owned(),
            Self::NoBranch => "체크아웃한 브랜치가 없어 결과는 실행의 브랜치에 남습니다.".to_owned(),
            Self::SandboxIncomplete { is_partly: true, reason } => {
                format!("이 컴퓨터에서는 에이전트와 검증의 샌드박스가 일부만 적용됩니다: {reason}.")
            }
            Self::SandboxIncomplete { is_partly: false, reason } => format!(
                "에이전트와 검증을 샌드박스 없이 사용자의 모든 권한으로 실행합니다: {reason}."
            ),
            Self::SubmodulesOff => {
                "worktree.submodules 설정이 false여서 워크트리의 서브모듈은 비어 있습니다.".to_owned()
            }
            Self::SubmoduleEmpty { path } => format!(
                "서브모듈 {path}: 체크아웃되어 있지 않아 워크트리에서 비어 있습니다. 포함하려면: git submodule \
                 update --init {path}",
                path = path.display()
            ),
            Self::Uncommitted { files } => {
                let (n_files, names) = files_in_korean(files);
                format!(
                    "에이전트는 마지막 커밋에서 시작하므로 커밋하지 않은 변경({n_files})을 볼 수 없습니다: {names}."
                )
            }
            Self::ChangesIncluded { files } => {
                let (n_files, names) = files_in_korean(files);
                format!("커밋하지 않은 변경({n_files})을 포함해 시작합니다: {names}.")
            }
            Self::Budgets { run, phase, task } => {
                let task: Vec<Budget> = task.iter().copied().collect();
                let limits = [(run, "전체"), (phase, "단계별"), (&task, "작업별")];
                let limits = limits.map(|(budgets, of)| limit_text(Locale::Ko, budgets, of));
                let limits: Vec<String> = limits.into_iter().flatten().collect();
                format!("예산 한도: {}. 한도에 이르면 에이전트를 멈추고 확인을 요청합니다.", limits.join(", "))
            }
            Self::CostUnknown { agents } => format!(
                "금액 예산에 포함되지 않는 에이전트: {}. 비용을 알리지 않습니다. 토큰 예산을 정하거나, 토큰 수를 알리는 \
                 에이전트라면 [prices]에 모델의 가격을 설정하세요.",
                agents.join(", ")
            ),
            Self::LastRunUsed { run, used } => format!(
                "이 계획의 지난 실행({run}) 사용량: {}, {}.",
                describe_used_tokens(Locale::Ko, used),
                describe_used_cost(Locale::Ko, used)
            ),
            Self::OtherRunActive { run, title } => format!(
                "이 프로젝트에서 다른 실행이 진행 중입니다: {run} ({title}). 같은 파일을 변경할 수 있습니다."
            ),
            Self::TasksRepeated { n_tasks, run } => format!(
                "실행 {run}에서 이미 완료했지만 다시 하는 작업: {n_tasks}개."
            ),
            Self::TasksLeftOut { n_tasks, run } => format!(
                "실행 {run}에서 이미 완료해 제외한 작업: {n_tasks}개."
            ),
        }
    }
}

/// Returns the limits of a run, phase or task; `None` if it has none.
fn limit_text(locale: Locale, budgets: &[Budget], of: &str) -> Option<String> {
    let amount = |budget: &Budget| match (budget, locale) {
        (Budget::Tokens(n), Locale::En) => format!("{} tokens", format_tokens(*n)),
        (Budget::Tokens(n), Locale::Ko) => format!("{} 토큰", format_tokens(*n)),
        (Budget::Cents(_), _) => budget.to_string(),
    };
    let amounts: Vec<String> = budgets.iter().map(amount).collect();
    (!amounts.is_empty()).then(|| match locale {
        Locale::En => format!("{} for {of}", amounts.join(" and ")),
        Locale::Ko => format!("{of} {}", amounts.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use domain::Budget;
    use views::{CostCertainty, UsageTotals};

    use super::*;

    #[test]
    fn the_possible_cost_is_said_in_both_languages() {
        let budgets = StartRemark::Budgets {
            run: vec![Budget::Tokens(2_000_000), Budget::Cents(1_000)],
            phase: Vec::new(),
            task: Some(Budget::Tokens(150_000)),
        };
        assert_eq!(
            budgets.text(Locale::En),
            "Budget: at most 2.0M tokens and $10 for the run, 150k tokens for each task. At a limit agents pause, \
             and you are asked."
        );
        assert!(budgets.text(Locale::Ko).starts_with("예산 한도: 전체 2.0M 토큰, $10, 작업별 150k 토큰."));
        let used = UsageTotals {
            tokens: 1_250_000,
            is_partial: false,
            cost_micros: 3_400_000,
            cost_certainty: CostCertainty::Estimated,
        };
        let last = StartRemark::LastRunUsed { run: "r7k2m9".parse().unwrap(), used };
        assert_eq!(
            last.text(Locale::En),
            "The last run of this plan (r7k2m9) used 1.2M tokens, about $3.40."
        );
        assert_eq!(last.text(Locale::Ko), "이 계획의 지난 실행(r7k2m9) 사용량: 1.2M 토큰, 약 $3.40.");
    }
}
