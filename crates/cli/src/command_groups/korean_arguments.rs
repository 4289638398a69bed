//! Descriptions of arguments in Korean, by their English text: many commands share an argument.

/// English descriptions of arguments and of their possible values, with the Korean ones.
#[rustfmt::skip] // A line per text.
pub(super) const DESCRIPTIONS: &[(&str, &str)] = &[
    ("A phase instead of a task", "작업 대신 단계"),
    ("Add the origin of each value", "값마다 어디에서 왔는지 표시"),
    ("Additional path that a sandboxed program may write to; repeat for several", "샌드박스 안의 프로그램이 더 쓸 수 있는 경로. 여러 번 지정 가능"),
    ("Agent for tasks that name none, as listed by `jangdan agents`", "에이전트를 지정하지 않은 작업에 쓸 에이전트. 목록: `jangdan agents`"),
    ("Agent that receives it", "받을 에이전트"),
    ("Agent that receives test feedback [default: the agent that the feedback names]", "테스트 결과를 받을 에이전트 [기본값: 결과에 적힌 에이전트]"),
    ("Agent to call", "호출할 에이전트"),
    ("Agent to start instead of a command, as listed by `jangdan agents`", "명령 대신 시작할 에이전트. 목록: `jangdan agents`"),
    ("All runs of this project", "이 프로젝트의 모든 실행"),
    ("Also delete branches and refs of the run whose work is in a branch of yours, and old saved states", "내 브랜치에 이미 들어온 실행의 브랜치와 ref, 오래된 저장 상태도 삭제"),
    ("Also print near misses", "메시지와 비슷하지만 인식되지 않은 것도 출력"),
    ("Answer questions, permissions and gates automatically [default without a terminal]", "질문, 권한, 게이트에 자동으로 답함 [터미널이 없으면 기본값]"),
    ("Answer that you suggest", "추천하는 답변"),
    ("Answer with the option that `jangdan inbox` marks with this number or letter", "`jangdan inbox`에 표시된 번호나 문자의 선택지로 답함"),
    ("Arguments of the agent, such as --resume ID", "에이전트의 인자. 예: --resume ID"),
    ("Attach this terminal", "이 터미널을 연결"),
    ("Attempt at the task [default: the last one]", "작업의 시도 번호 [기본값: 마지막 시도]"),
    ("Background for the agent", "에이전트에 필요한 배경"),
    ("Background for the answer", "답변에 필요한 배경"),
    ("Checkpoint, such as k_3", "체크포인트. 예: k_3"),
    ("Command to run, behind --", "실행할 명령. -- 뒤에 씀"),
    ("Folder of the project [default: the one of the current folder]", "프로젝트 폴더 [기본값: 현재 폴더의 프로젝트]"),
    ("For all your projects instead of this one", "이 프로젝트 대신 모든 프로젝트에 적용"),
    ("Name of the environment variable that will have the value", "값을 넣을 환경 변수 이름"),
    ("Name of the secret", "비밀 값의 이름"),
    ("Names of the secrets that the command gets as environment variables", "명령에 환경 변수로 넣을 비밀 값의 이름"),
    ("Not a secret: the value need not be masked", "비밀이 아님: 값을 가릴 필요가 없음"),
    ("Do not wait until it is delivered", "전달될 때까지 기다리지 않음"),
    ("Name of a variable that has the value; repeat for the variables of a service [default: the name of the request]", "값을 넣을 변수 이름. 서비스의 변수가 여러 개면 반복 [기본값: 요청의 이름]"),
    ("Path in the worktree that the file is copied to [default: that of the request]", "파일을 복사할 워크트리 안의 경로 [기본값: 요청의 경로]"),
    ("Provide the value that is stored already (`jangdan secret set`)", "이미 저장된 값을 제공 (`jangdan secret set`)"),
    ("Complete sandbox, or the session does not start", "완전한 샌드박스. 불가능하면 세션을 시작하지 않음"),
    ("Connect the program by pipes instead of a terminal", "터미널 대신 파이프로 프로그램에 연결"),
    ("Content of the result", "결과 내용"),
    ("Continue with new events until interrupted", "중단할 때까지 새 이벤트를 계속 출력"),
    ("Continue with new output until the agent's process ends", "에이전트 프로세스가 끝날 때까지 새 출력을 계속 표시"),
    ("Continue with new output until the session ends", "세션이 끝날 때까지 새 출력을 계속 표시"),
    ("Data directory [default: JANGDAN_DATA, else the user's own]", "데이터 폴더 [기본값: JANGDAN_DATA, 없으면 사용자의 데이터 폴더]"),
    ("Decide similar requests too: those of PATTERN, such as 'run:npm test *' [default: the proposed pattern]", "비슷한 요청도 함께 결정: PATTERN에 맞는 요청. 예: 'run:npm test *' [기본값: 제안된 패턴]"),
    ("Decode in chunks of N bytes; the result is the same", "N바이트씩 나누어 해석. 결과는 같음"),
    ("Decode the output of a full-screen program", "전체 화면 프로그램의 출력을 해석"),
    ("Description of the error", "오류 설명"),
    ("Do not ask for confirmation", "확인 없이 진행"),
    ("Do not wait for the reply", "답장을 기다리지 않음"),
    ("Document that was written; repeat for several", "작성한 문서. 여러 번 지정 가능"),
    ("Exit with status 3 as soon as the run needs you to continue", "계속하려면 내 확인이 필요한 순간 상태 3으로 종료"),
    ("File to check instead of the project's; - reads standard input", "프로젝트의 설정 대신 확인할 파일. -는 표준 입력"),
    ("File to provide, for a file request", "파일 요청에 제공할 파일"),
    ("File with the agent's output; - reads standard input", "에이전트의 출력이 담긴 파일. -는 표준 입력"),
    ("First message for the agent", "에이전트에 보낼 첫 메시지"),
    ("First replace the access token: signs out every browser and program", "먼저 접근 토큰을 교체. 모든 브라우저와 프로그램이 로그아웃됨"),
    ("Format of the diagram", "도표의 형식"),
    ("Format of the plan [default: detected]", "계획의 형식 [기본값: 자동 감지]"),
    ("Format of the server's log", "서버 로그의 형식"),
    ("Format to write", "출력할 형식"),
    ("Further details, such as a stack trace", "자세한 내용. 예: 스택 추적"),
    ("Give tasks with repeated ids new ones in the file", "반복된 작업 ID를 파일에서 새 ID로 바꿈"),
    ("Directed graph for Graphviz", "Graphviz 그래프"),
    ("Hint for the retry; the agent receives it", "다시 시도할 때 참고할 힌트. 에이전트에 전달됨"),
    ("How long a permission applies [default: once, with --similar: run]", "권한의 적용 범위 [기본값: once, --similar와 함께 쓰면 run]"),
    ("How to handle the error", "오류를 처리하는 방법"),
    ("Ids of the plan that are not of the form T1.3, such as 1.2,ST-001", "T1.3 형식이 아닌 계획의 id. 예: 1.2,ST-001"),
    ("Include the plan's optional tasks", "계획의 선택 작업도 포함"),
    ("Show resolved problems too", "해결된 문제도 표시"),
    ("Include unapproved phases", "승인되지 않은 단계도 포함"),
    ("Keep the repository and all data in this folder, which must be new or empty", "저장소와 모든 데이터를 이 폴더에 보관. 새 폴더이거나 비어 있어야 함"),
    ("Key of the session", "세션의 키"),
    ("Kind of dependency", "의존성의 종류"),
    ("Kind of message", "메시지의 종류"),
    ("Kind of result", "결과의 종류"),
    ("Language of the plan and the agents [default: that of the environment]", "계획과 에이전트의 언어 [기본값: 환경의 언어]"),
    ("Leave out tasks that an earlier run of the plan completed", "계획의 이전 실행에서 끝낸 작업은 제외"),
    ("List every task, also those that are waiting or done", "대기 중이거나 완료한 작업까지 모두 표시"),
    ("Make one commit instead of keeping the run's commits", "실행의 커밋을 유지하는 대신 커밋 하나로 만듦"),
    ("Memory limit of all its processes together, in MiB", "모든 프로세스를 합한 메모리 제한(MiB)"),
    ("Merge into this branch [default: the branch that the run started from]", "이 브랜치에 병합 [기본값: 실행을 시작한 브랜치]"),
    ("Form of the report", "보고서의 형식"),
    ("One page without references to other files", "다른 파일을 참조하지 않는 한 페이지"),
    ("Data for programs", "프로그램용 데이터"),
    ("Flowchart for Mermaid", "Mermaid 흐름도"),
    ("Message, or the answer that the agent is waiting for: a number, text, yes or no", "메시지, 또는 에이전트가 기다리는 답변: 번호, 텍스트, yes 또는 no"),
    ("Message; the agent receives it when its turn ends", "메시지. 에이전트의 응답이 끝나면 전달됨"),
    ("Name of the dependency", "의존성의 이름"),
    ("Name of the external dependency, as in the plan", "계획에 적힌 외부 의존성의 이름"),
    ("No sandbox: all your permissions", "샌드박스 없음: 내 권한을 모두 사용"),
    ("Note for the record", "기록에 남길 메모"),
    ("Notification, Stop, PermissionRequest, PostToolUse or test-feedback; `settings` prints the settings of Claude Code", "Notification, Stop, PermissionRequest, PostToolUse 또는 test-feedback. `settings`는 Claude Code의 설정을 출력"),
    ("Number of a phase: show the changes of its merged tasks", "단계 번호: 병합된 작업의 변경 내용을 표시"),
    ("Number of a phase: show the checks of its gate", "단계 번호: 게이트의 검증을 표시"),
    ("Number of a suggestion, as shown by `jangdan inbox`, or one of: retry [HINT], reassign AGENT, skip, waive (accept without a passed check), raise BUDGET, mark-failed, dismiss", "`jangdan inbox`에 표시된 제안의 번호, 또는 다음 중 하나: retry [힌트], reassign 에이전트, skip, waive (검증 통과 없이 승인), raise 예산, mark-failed, dismiss"),
    ("Number of the event [default: the last one]", "이벤트 번호 [기본값: 마지막 이벤트]"),
    ("Number of the phase", "단계 번호"),
    ("Only print what would happen", "실제로 하지 않고 결과만 미리 출력"),
    ("Only what changed since you last requested changes to the phase", "마지막으로 단계의 수정을 요청한 뒤 변경된 것만"),
    ("Pass all escape sequences, also those that use the clipboard or ask this terminal", "클립보드를 사용하거나 이 터미널에 질의하는 것까지 모든 이스케이프 시퀀스를 전달"),
    ("Plan file [default: TASKS.md or another common name]", "계획 파일 [기본값: TASKS.md 또는 흔히 쓰는 다른 이름]"),
    ("Plan file; - reads standard input", "계획 파일. -는 표준 입력"),
    ("Prevent the program from writing outside its directory and from reading Jangdan's files", "프로그램이 자기 폴더 밖에 쓰거나 Jangdan의 파일을 읽지 못하게 함"),
    ("Print a code for the page instead, to start a pasted plan that has commands", "링크 대신, 명령이 있는 붙여 넣은 계획을 시작할 때 페이지에 입력할 코드를 출력"),
    ("Print JSON instead of text", "텍스트 대신 JSON을 출력"),
    ("Print JSON, one object per agent", "에이전트마다 한 객체씩 JSON을 출력"),
    ("Print JSON, one object per key", "키마다 한 객체씩 JSON을 출력"),
    ("Print JSON, one object per session", "세션마다 한 객체씩 JSON을 출력"),
    ("Print one JSON object instead of a table", "표 대신 JSON 객체 하나를 출력"),
    ("Print the bytes unchanged, with all escape sequences", "이스케이프 시퀀스를 포함해 바이트를 그대로 출력"),
    ("Problem, such as e_1", "문제. 예: e_1"),
    ("Program and its arguments", "프로그램과 인자"),
    ("Progress from 0 to 1", "0에서 1 사이의 진행률"),
    ("Question, such as q_1", "질문. 예: q_1"),
    ("Reason for the failure", "실패한 이유"),
    ("Repeat tasks that an earlier run of the plan completed", "계획의 이전 실행에서 끝낸 작업도 다시 함"),
    ("Replace an existing jangdan.toml; a plan is never replaced", "이미 있는 jangdan.toml을 바꿈. 계획은 바꾸지 않음"),
    ("Reply with a question to the agent; its own question stays open", "에이전트에 되물음. 원래 질문은 열린 채로 남음"),
    ("Request, such as d_1", "요청. 예: d_1"),
    ("Restore the start of the task", "작업을 시작할 때의 상태로 복원"),
    ("Resume the agent's own session with this id", "이 id를 가진 에이전트 자체의 세션을 재개"),
    ("Role of the agent; only an orchestrator can send NEED_HUMAN", "에이전트의 역할. 오케스트레이터만 NEED_HUMAN을 보낼 수 있음"),
    ("Run id, or the start of one [default: all active runs]", "실행 id 또는 그 앞부분 [기본값: 진행 중인 모든 실행]"),
    ("Run id, or the start of one [default: the active run of this project]", "실행 id 또는 그 앞부분 [기본값: 이 프로젝트에서 진행 중인 실행]"),
    ("Run id, or the start of one [default: the only unfinished run]", "실행 id 또는 그 앞부분 [기본값: 끝나지 않은 하나뿐인 실행]"),
    ("Sandbox with the protection that this machine supports, and warn about the rest", "이 컴퓨터가 지원하는 만큼 보호하고 나머지는 경고"),
    ("Script file (TOML)", "스크립트 파일(TOML)"),
    ("Session name [default: derived from the command]", "세션 이름 [기본값: 명령에서 정함]"),
    ("Session name, or the start of one", "세션 이름 또는 그 앞부분"),
    ("Set a configuration key, such as orchestration.max_concurrency=8; repeat for several", "설정 키를 지정. 예: orchestration.max_concurrency=8. 여러 번 지정 가능"),
    ("Shell to print the script for", "스크립트를 출력할 셸"),
    ("Show where each field of a task was read", "작업의 각 항목을 파일의 어디에서 읽었는지 표시"),
    ("Speed factor, such as 2 or 0.5", "속도 배율. 예: 2 또는 0.5"),
    ("Start at this byte of the output; a conversation is always printed as a whole", "출력의 이 바이트부터 시작. 대화는 항상 전체를 출력"),
    ("Start from a commit with your uncommitted changes; your checkout stays as it is", "커밋하지 않은 변경을 담은 커밋에서 시작. 내 체크아웃은 그대로 유지"),
    ("Stop the agents when the server is interrupted [default: they keep working, and the next server finds them]", "서버를 중단하면 에이전트도 중지 [기본값: 계속 작업하고 다음 서버가 찾음]"),
    ("Suggested answer; repeat for several", "제안하는 답변. 여러 번 지정 가능"),
    ("Summary of the step", "마친 일의 요약"),
    ("Tag of Task Master to read [default: master, or the first]", "읽을 Task Master 태그 [기본값: master, 없으면 첫 번째]"),
    ("Task [default: the whole run]", "작업 [기본값: 실행 전체]"),
    ("Task for the agent", "에이전트에 맡길 작업"),
    ("Task to do again; repeat for several [default: the task that was completed last]", "다시 할 작업. 여러 번 지정 가능 [기본값: 마지막으로 완료한 작업]"),
    ("Show each session below the one that started or called it", "각 세션을 시작하거나 호출한 세션 아래에 표시"),
    ("Task, such as T1.2", "작업. 예: T1.2"),
    ("Task, such as T1.2, or session, such as s_3", "작업 또는 세션. 예: T1.2, s_3"),
    ("Print long prompts in full", "긴 프롬프트도 모두 출력"),
    ("Test results, such as {\"success\":false,\"failures\":[{\"name\":\"…\"}]}", "테스트 결과. 예: {\"success\":false,\"failures\":[{\"name\":\"…\"}]}"),
    ("Text of the answer, or the number or letter of an option", "답변 내용, 또는 선택지의 번호나 문자"),
    ("Text of the message", "메시지 내용"),
    ("Text of the question", "질문 내용"),
    ("The agent cannot continue", "에이전트가 계속할 수 없음"),
    ("The request is not needed: the agent continues with its default", "요청이 필요 없음: 에이전트가 기본값으로 계속함"),
    ("The task can continue with the default", "기본값으로 작업을 계속할 수 있음"),
    ("The task can continue without it", "없어도 작업을 계속할 수 있음"),
    ("This request only", "이 요청만"),
    ("Until the run ends", "실행이 끝날 때까지"),
    ("Until the task ends", "작업이 끝날 때까지"),
    ("Version to install, for a package request", "패키지 요청에 설치할 버전"),
    ("Wait for the end of the agent's turn and print it", "에이전트의 응답이 끝날 때까지 기다렸다가 출력"),
    ("What can be used instead", "대신 쓸 수 있는 것"),
    ("What is being done", "지금 하고 있는 일"),
    ("What it is needed for", "필요한 이유"),
    ("What needs to change; the agents receive it", "고쳐야 할 점. 에이전트에 전달됨"),
    ("Whether messages must contain the key", "메시지에 키가 있어야 하는지 여부"),
    ("Why a permission is denied; the agent is told", "권한을 거부하는 이유. 에이전트에 전달됨"),
    ("Why not; the agent receives it", "거절하는 이유. 에이전트에 전달됨"),
    ("Why nothing had to change, if the files are as before", "파일이 그대로라면 변경할 필요가 없었던 이유"),
    ("Work in the project folder, without worktrees (no isolation)", "워크트리 없이 프로젝트 폴더에서 작업(격리 없음)"),
    ("Working directory [default: the current one]", "작업 폴더 [기본값: 현재 폴더]"),
];

/// Phrases that clap writes into a help, as they stand there, with the Korean ones.
pub(super) const CLAP_PHRASES: &[(&str, &str)] = &[
    ("Usage:", "사용법:"),
    ("Arguments:", "인자:"),
    ("Options:", "옵션:"),
    ("Commands:", "명령:"),
    ("Possible values:", "가능한 값:"),
    ("[possible values: ", "[가능한 값: "),
    ("[default: ", "[기본값: "),
    ("Print help (see a summary with '-h')", "도움말을 출력(요약: '-h')"),
    ("Print help (see more with '--help')", "도움말을 출력(자세히: '--help')"),
    ("Print help", "도움말을 출력"),
    ("Print version", "버전을 출력"),
    (
        "Print this message or the help of the given subcommand(s)",
        "이 도움말 또는 지정한 명령의 도움말을 출력",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::{Arg, Command, CommandFactory};

    use super::DESCRIPTIONS;
    use crate::Arguments;

    fn descriptions(command: &Command) -> Vec<String> {
        let of_argument = |argument: &Arg| {
            let values = argument.get_possible_values();
            let of_values = values.iter().filter_map(|value| value.get_help().map(ToString::to_string));
            [argument.get_help().map(ToString::to_string).unwrap_or_default()]
                .into_iter()
                .chain(of_values)
                .collect::<Vec<_>>()
        };
        let own = command.get_arguments().filter(|argument| !argument.is_hide_set()).flat_map(of_argument);
        let visible = command.get_subcommands().filter(|child| !child.is_hide_set());
        own.chain(visible.flat_map(descriptions)).collect()
    }

    #[test]
    fn every_argument_and_value_is_described_in_korean_and_nothing_else() {
        let used: BTreeSet<_> = descriptions(&Arguments::command()).into_iter().collect();
        let translated: BTreeSet<_> = DESCRIPTIONS.iter().map(|(text, _)| (*text).to_owned()).collect();
        let missing: Vec<_> = used.difference(&translated).collect();
        let unused: Vec<_> = translated.difference(&used).collect();
        assert!(missing.is_empty() && unused.is_empty(), "missing {missing:#?}\nunused {unused:#?}");
    }
}
