//! Descriptions of commands in Korean, for their help.

use clap::{Arg, Command};

use super::korean_arguments::{CLAP_PHRASES, DESCRIPTIONS};

const ABOUT: &str = "명령줄 AI 에이전트 팀으로 계획을 실행합니다";

/// Commands by their words, and what they do.
const COMMANDS: &[(&str, &str)] = &[
    ("agents", "사용할 수 있는 에이전트를 봅니다: 설치 여부, 버전, 로그인 상태"),
    ("answer", "질문에 답합니다"),
    ("approve", "단계를 승인합니다"),
    ("calls", "에이전트 사이의 호출을 봅니다: 누가 누구를 왜 호출했고 결과가 무엇인지"),
    ("messages", "에이전트끼리 주고받은 메시지와 결과를 봅니다"),
    ("sessions", "실행의 세션과, 어느 세션이 시작하거나 호출했는지 봅니다"),
    ("cancel", "실행, 단계 또는 작업을 중단합니다"),
    ("chat", "오케스트레이터에 메시지를 보내거나 하나뿐인 질문에 답합니다"),
    ("report", "실행 결과 보고서를 출력합니다: 작업, 증거, 질문, 시간, 비용"),
    ("checks", "작업이나 게이트의 검증 결과와 출력을 봅니다"),
    ("clean", "끝난 워크트리를 삭제합니다. 내용은 git에 남습니다"),
    ("completions", "셸 자동 완성 스크립트를 출력합니다"),
    ("config", "설정을 보거나 확인합니다"),
    ("config show", "적용되는 설정을 TOML로 출력합니다"),
    ("config check", "설정을 확인하고 모든 문제를 해당 줄과 함께 출력합니다"),
    ("config path", "설정 파일의 경로를 출력합니다"),
    ("continue", "일시 정지한 실행, 단계 또는 작업을 재개합니다"),
    ("conversation", "작업이나 세션의 에이전트와 나눈 대화를 봅니다"),
    ("decode", "에이전트의 출력에서 프로토콜 메시지를 읽어 냅니다"),
    ("demo", "스크립트 에이전트로 1분 안에 둘러봅니다. 키와 네트워크가 필요 없습니다"),
    ("diff", "작업이나 단계에서 변경된 내용을 봅니다"),
    ("doctor", "이 컴퓨터와 프로젝트에서 실행할 수 있는지 점검합니다"),
    ("escalations", "실행의 문제와 각각의 처리 방법을 봅니다"),
    ("gate", "게이트에 이른 단계의 보고서를 보고 승인하거나 수정을 요청합니다"),
    ("gate show", "게이트의 검증, 검증자의 판정, 결과물을 Markdown으로 봅니다"),
    ("gate approve", "단계를 승인합니다"),
    ("gate reject", "단계를 승인하는 대신 수정을 요청합니다"),
    ("hook", "Claude Code의 이벤트를 세션에 알립니다 (Claude Code가 호출)"),
    ("inbox", "확인할 질문, 승인, 문제를 급한 순서로 봅니다"),
    ("init", "이 폴더의 프로젝트에 jangdan.toml과 예시 계획을 만듭니다"),
    ("land", "승인된 결과를 실행을 시작한 브랜치에 병합합니다"),
    ("link", "실행 중인 서버의 페이지 링크를 출력합니다"),
    ("log", "실행의 이벤트를 한 줄에 하나씩 출력합니다"),
    ("audit", "사용자의 명령과 그 출처를 출력합니다"),
    ("logs", "작업을 맡은 에이전트의 출력을 봅니다"),
    ("pause", "실행, 단계 또는 작업을 일시 정지합니다"),
    ("plan", "계획 파일을 확인·표시·변환하거나 실행 중 변경을 처리합니다"),
    ("plan check", "계획 파일을 확인하고 작업을 보여 줍니다"),
    ("plan show", "계획을 Mermaid나 Graphviz 도표로 출력합니다"),
    ("plan convert", "계획을 다른 형식으로 변환해 출력합니다"),
    ("plan diff", "계획 파일이 실행의 계획과 어떻게 다른지 봅니다"),
    ("plan apply", "계획 파일의 변경을 실행에 적용합니다"),
    ("plan ignore", "계획 파일의 변경을 무시합니다"),
    ("plan met", "계획의 외부 의존성을 충족된 것으로 표시합니다"),
    ("play", "에이전트처럼 스크립트를 실행해 실제 에이전트 없이 계획을 시험합니다"),
    ("provide", "에이전트가 요청한 것을 제공합니다"),
    ("refuse", "에이전트의 요청을 거절합니다"),
    ("reject", "단계를 승인하는 대신 수정을 요청합니다"),
    ("replay", "특정 이벤트 시점의 실행을 봅니다"),
    ("resolve", "문제의 처리 방법을 정합니다"),
    ("resume", "끝나지 않은 실행을 재개하고 지켜봅니다"),
    ("retry", "작업을 다시 시도합니다"),
    ("rewind", "작업을 체크포인트로 복원합니다"),
    ("run", "계획을 실행합니다. 에이전트가 작업을 동시에 진행하고 결정이 필요할 때 묻습니다"),
    ("runs", "모든 실행을 봅니다"),
    ("say", "세션의 에이전트가 프로토콜 메시지를 보냅니다"),
    ("say ask", "질문합니다. 작업은 답변을 기다립니다"),
    ("say deliver", "다른 에이전트에 결과를 전달합니다"),
    ("say direct", "다른 에이전트에 메시지를 직접 보냅니다"),
    ("say done", "작업을 완료했다고 알립니다"),
    ("say error", "오류를 알립니다"),
    ("say fail", "작업에 실패했다고 알립니다"),
    ("say feedback", "작업 에이전트에 테스트 결과를 JSON으로 보냅니다"),
    ("say invoke", "다른 에이전트를 호출합니다. 작업은 결과를 기다립니다"),
    ("say need-human", "오케스트레이터로서 사용자에게 묻습니다"),
    ("say phase-complete", "단계를 완료했다고 알립니다"),
    ("say progress", "작업의 진행률을 알립니다"),
    ("say request", "필요한 의존성을 요청합니다. 작업은 제공을 기다립니다"),
    ("say step", "단계별 작업 하나를 마쳤다고 알립니다"),
    ("secret", "에이전트에 필요한 비밀 값을 암호화해 저장하고 사용합니다"),
    ("secret set", "비밀 값을 저장합니다. 값은 입력하거나 표준 입력으로 전달합니다"),
    ("secret list", "저장된 비밀 값의 이름을 봅니다. 값은 표시하지 않습니다"),
    ("secret remove", "저장된 비밀 값을 삭제합니다"),
    ("secret exec", "비밀 값을 환경 변수로 넣어 명령을 실행합니다"),
    ("secret rotate", "모든 비밀 값을 새 키로 다시 암호화합니다"),
    ("serve", "실행을 백그라운드에서 이어 가는 서버를 시작합니다"),
    ("session", "터미널을 닫아도 유지되는 세션에서 에이전트를 실행하고 연결합니다"),
    ("session start", "이 터미널을 닫아도 유지되는 세션에서 프로그램을 시작합니다"),
    ("session list", "세션과 상태를 봅니다"),
    ("session attach", "이 터미널을 세션에 연결합니다. Ctrl-]로 연결을 끊습니다"),
    ("session log", "세션의 출력을 봅니다"),
    ("session say", "에이전트에 메시지를 보내거나 프로그램에 한 줄을 입력합니다"),
    ("session pause", "세션의 모든 프로세스를 일시 정지합니다"),
    ("session resume", "일시 정지한 세션을 재개합니다"),
    ("session stop", "세션의 모든 프로세스를 중지합니다. 출력은 남습니다"),
    ("session remove", "중지한 세션과 출력을 삭제합니다"),
    ("skip", "작업을 건너뜁니다. 이 작업에 의존하는 작업은 계속됩니다"),
    ("status", "실행의 작업과 확인할 일을 봅니다"),
    ("tell", "작업을 맡은 에이전트에 메시지를 보냅니다"),
    ("watch", "실행을 실시간으로 보고 조작합니다"),
];

/// Replaces the descriptions of the program, its commands and their arguments.
pub(super) fn translate(command: Command) -> Command {
    translate_subcommands(command.about(ABOUT), "")
}

/// Translates what remains of a rendered help: descriptions of possible values, and the words of clap.
pub(super) fn translate_rendered_help(help: &str) -> String {
    let phrases = DESCRIPTIONS.iter().chain(CLAP_PHRASES);
    phrases.fold(help.to_owned(), |help, (english, korean)| help.replace(english, korean))
}

fn translate_argument(argument: Arg) -> Arg {
    let english = argument.get_help().map(ToString::to_string).unwrap_or_default();
    match DESCRIPTIONS.iter().find(|(text, _)| *text == english) {
        Some((_, korean)) => argument.help(*korean),
        None => argument,
    }
}

fn translate_subcommands(command: Command, parent: &str) -> Command {
    command.mut_subcommands(|subcommand| {
        let path = format!("{parent} {}", subcommand.get_name()).trim_start().to_owned();
        let about = COMMANDS.iter().find(|(words, _)| *words == path).map(|(_, about)| *about);
        let translated = match about {
            Some(about) => subcommand.about(about),
            None => subcommand,
        };
        translate_subcommands(translated.mut_args(translate_argument), &path)
    })
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::COMMANDS;
    use crate::Arguments;

    fn visible_commands(command: &Command, parent: &str) -> Vec<String> {
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        let with_children = |command: &Command| {
            let path = format!("{parent} {}", command.get_name()).trim_start().to_owned();
            let children = visible_commands(command, &path);
            [vec![path], children].concat()
        };
        visible.flat_map(with_children).collect()
    }

    #[test]
    fn every_visible_command_is_described_in_korean() {
        let mut visible = visible_commands(&Arguments::command(), "");
        let mut described: Vec<_> = COMMANDS.iter().map(|(words, _)| (*words).to_owned()).collect();
        visible.sort_unstable();
        described.sort_unstable();
        assert_eq!(described, visible);
    }
}
