//! Every event in a line of Korean. What somebody wrote stays as it was written.
//!
//! A particle depends on the sound before it, and nobody knows how an id is read aloud. So a noun, a mark or the end
//! follows whatever is filled in.
//!
//! No `_`: a new event must be put into words here.

mod parts;
mod plans;
mod problem;
mod say;

use domain::{
    CheckpointOutcome, ClaimSource, CompletionProof, Event, InvocationOutcome, LoopOutcome, MergeOutcome,
    ParkMode, ProvidedResource, QuestionRoute, ReturnReason, RunOutcome,
};

pub(crate) use self::{parts::permission, plans::summary, problem::title as problem_title, say::say};
use crate::line::{brief, colon, count, short};
use parts::{act, action, fail, level, limit, list, list_of, name, passed, priority, role, severity, wait};

/// Puts an event into Korean.
pub fn line(event: &Event) -> String {
    match event {
        Event::RunStarted { project, work, .. } => {
            format!("{project} 실행이 시작됨{}, 작업 {}개", colon(&work.title), work.tasks.len())
        }
        Event::RunPaused {} => "실행을 일시 정지함".to_owned(),
        Event::RunContinued {} => "실행을 계속함".to_owned(),
        Event::RunCancelled {} => "실행을 취소함".to_owned(),
        Event::RunEnded { outcome, failed, waiting } => match outcome {
            RunOutcome::Done => "실행을 모두 마침".to_owned(),
            RunOutcome::Cancelled => "실행이 취소되어 끝남".to_owned(),
            RunOutcome::Failed => {
                let n_waiting = waiting.len();
                format!("실행이 실패로 끝남: 실패한 작업 {}, 시작하지 못한 작업 {n_waiting}개", list(failed))
            }
        },
        Event::RunReopened {} => "끝난 실행을 다시 이어 감".to_owned(),

        Event::PhaseStarted { phase, .. } => format!("{phase}단계가 시작됨"),
        Event::PhasePaused { phase } => format!("{phase}단계를 일시 정지함"),
        Event::PhaseContinued { phase } => format!("{phase}단계를 계속함"),
        Event::PhaseCancelled { phase } => format!("{phase}단계를 취소함"),
        Event::PhaseLanded { phase } => format!("{phase}단계의 결과가 반영됨"),

        Event::TasksBecameReady { tasks } => format!("시작할 수 있는 작업: {}", list(tasks)),
        Event::TaskStarted { task, attempt, agent, session } => {
            let try_ = if *attempt > 1 { format!(", {attempt}차 시도") } else { String::new() };
            format!("{task} 작업을 {agent} 에이전트가 시작함 ({session} 세션{try_})")
        }
        Event::TaskResumed { task, session } => format!("{task} 작업이 {session} 세션에서 이어짐"),
        Event::TaskBlocked { task, reason } => format!("{task} 작업이 기다림: {}", wait(reason)),
        Event::TaskUnblocked { task, reason } => {
            format!("{task} 작업이 더는 기다리지 않음: {}", wait(reason))
        }
        Event::TaskClaimed { task, source, .. } => {
            let how = match source {
                ClaimSource::DoneMessage => "에이전트의 말",
                ClaimSource::TurnEnd => "에이전트의 차례가 끝남",
                ClaimSource::PhaseMarker => "단계를 마쳤다는 에이전트의 말",
                ClaimSource::Exit => "프로세스가 정상 종료됨",
            };
            format!("{task} 작업을 마쳤다고 함: {how}")
        }
        Event::CheckStarted { task, command, .. } => format!("{task} 작업을 검증하는 중{}", colon(command)),
        Event::CheckFinished { task, receipt, .. } => format!("{task} 작업의 검증: {}", passed(receipt)),
        Event::TestStarted { task, session } => format!("{task} 작업을 {session} 세션에서 테스트하는 중"),
        Event::TaskReturned { task, reason } => {
            let why = match reason {
                ReturnReason::Check => "검증 실패",
                ReturnReason::Test => "테스터가 찾은 실패",
                ReturnReason::Conflict => "병합 충돌",
                ReturnReason::Rework => "단계가 게이트를 통과하지 못함",
            };
            format!("{task} 작업을 에이전트에게 돌려보냄: {why}")
        }
        Event::MergeStarted { task, .. } => format!("{task} 작업을 병합하는 중"),
        Event::MergeFinished { task, outcome, .. } => match outcome {
            MergeOutcome::Merged { commit, .. } => format!("{task} 작업이 병합됨: {}", short(commit)),
            MergeOutcome::Conflicted { files } => format!("{task} 작업의 병합 충돌: {}", list(files)),
            MergeOutcome::CheckFailed { receipt } => {
                format!("{task} 작업은 병합되지만 검증이 안 됨: {}", passed(receipt))
            }
            MergeOutcome::Failed { error } => format!("{task} 작업을 병합하지 못함{}", colon(error)),
        },
        Event::TaskDone { task, proof } => {
            let proof = match proof {
                CompletionProof::Checked => "검증됨",
                CompletionProof::Unchecked => "검증 없음",
                CompletionProof::Waived => "검증 면제",
            };
            format!("{task} 작업을 마침 ({proof})")
        }
        Event::AttemptFailed { task, attempt, failure, counted } => {
            let counted = if *counted { "" } else { " (횟수에 넣지 않음)" };
            format!("{task} 작업의 {attempt}차 시도가 실패함{counted}: {}", fail(failure))
        }
        Event::TaskRetried { task, hint, .. } => {
            let hint = hint.as_deref().map(colon).unwrap_or_default();
            format!("{task} 작업을 다시 시도함{hint}")
        }
        Event::TaskFailed { task, failure } => format!("{task} 작업이 실패함: {}", fail(failure)),
        Event::TaskSkipped { task } => format!("{task} 작업을 건너뜀"),
        Event::TaskCancelled { task } => format!("{task} 작업을 취소함"),
        Event::TaskReopened { task, reason } => format!("{task} 작업을 다시 하기로 함{}", colon(reason)),
        Event::TaskPrioritized { task, priority: now } => {
            format!("{task} 작업의 우선순위를 바꿈: {}", priority(*now))
        }
        Event::TaskMessageSent { task, text } => format!("{task} 작업에 전함: {text}"),
        Event::TaskReassigned { task, agent } => format!("{task} 작업을 {agent} 에이전트에게 맡김"),
        Event::TaskRewound { task, checkpoint } => match checkpoint {
            None => format!("{task} 작업을 처음으로 되돌림"),
            Some(checkpoint) => format!("{task} 작업을 {checkpoint} 체크포인트까지 되돌림"),
        },
        Event::TaskRequested { task, .. } => format!("{task} 작업을 시작하기로 함"),
        Event::PlanChangeDetected { offer, changes, problem } => {
            let problem = problem.as_deref().map(|why| format!("; 받아들일 수 없음: {why}"));
            let problem = problem.unwrap_or_default();
            format!("계획 파일이 바뀜 ({offer}): {}{problem}", summary(changes))
        }
        Event::PlanChangeWithdrawn { offer, reason } => format!("{offer} 변경을 거둠{}", colon(reason)),
        Event::PlanUnreadable { problem } => format!("계획 파일을 읽을 수 없음{}", colon(problem)),
        Event::PlanChangeApplied { offer, .. } => format!("{offer} 변경을 받아들임: 계획이 바뀜"),
        Event::PlanChangeIgnored { offer } => format!("{offer} 변경을 받아들이지 않음: 계획은 그대로"),
        Event::PhaseAdded { phase } => {
            format!("{}단계가 계획에 더해짐{}", phase.number, colon(&phase.name))
        }
        Event::PhaseChanged { phase, after, .. } => {
            if after.is_empty() {
                format!("{phase}단계가 이제 다른 단계를 기다리지 않음")
            } else {
                format!("{phase}단계 앞에 올 단계를 바꿈: {}", list(after))
            }
        }
        Event::TaskChanged { task, fields } => {
            let words: Vec<&str> = fields.iter().map(|field| plans::field_word(*field)).collect();
            format!("계획에서 {} 작업이 바뀜: {}", task.id, words.join(", "))
        }
        Event::TaskAdded { task, .. } => {
            format!("{} 작업이 계획에 더해짐{}", task.id, colon(&task.title))
        }
        Event::DependencyAdded { earlier, later } => {
            format!("{later} 작업이 이제 {earlier} 작업도 기다림")
        }
        Event::DependencyRemoved { earlier, later } => {
            format!("{later} 작업이 더는 {earlier} 작업을 기다리지 않음")
        }
        Event::ExternalDependencyMet { name } => format!("바깥 조건이 갖춰짐: {name}"),

        Event::SessionOpened { session, role: of, agent, .. } => {
            let who = agent.as_ref().map_or("장단", |agent| agent.as_str());
            format!("{session} 세션이 열림: {who}, {}", role(*of))
        }
        Event::SessionActivated { session, .. } => format!("{session} 세션이 준비됨"),
        Event::SessionParked { session, mode } => {
            let mode = match mode {
                ParkMode::Hot => "살려 둠",
                ParkMode::Frozen => "얼려 둠",
                ParkMode::Cold => "종료해 둠",
            };
            format!("{session} 세션을 멈춰 둠 ({mode})")
        }
        Event::SessionWoken { session } => format!("{session} 세션을 깨움"),
        Event::SessionDismissed { session } => format!("{session} 세션을 끝내기로 함"),
        Event::SessionEnded { session, exit_status } => match exit_status {
            Some(status) => format!("{session} 세션이 끝남 (종료 상태 {status})"),
            None => format!("{session} 세션이 시그널을 받아 끝남"),
        },
        Event::SessionLost { session, reason } => format!("{session} 세션이 사라짐{}", colon(reason)),
        Event::InputQueued { session, content, .. } => {
            format!("{session} 세션에 전함{}", colon(&say(content)))
        }
        Event::InputSent { session, input } => format!("{session} 세션에 {input}번 입력이 들어감"),
        Event::MessageReceived { session, message: said, .. } => {
            format!("{session} 세션의 말: {}", said.name())
        }
        Event::MessageRejected { session, protocol, error, .. } => {
            format!("{session} 세션의 {protocol} 메시지를 받아들일 수 없음{}", colon(error))
        }
        Event::NearMissReceived { session, near, raw, .. } => {
            format!("{session} 세션의 말이 {near} 메시지와 거의 같음{}", colon(raw))
        }
        Event::TurnEnded { session, text: words, .. } => {
            format!("{session} 세션의 차례가 끝남{}", colon(words))
        }
        Event::TurnInterrupted { session, text: words, .. } => {
            format!("{session} 세션의 차례가 끊김{}", colon(words))
        }

        Event::QuestionAsked { question, session, text, permission: wish, .. } => {
            let text = wish.as_ref().map_or(text.clone(), permission);
            format!("{session} 세션의 {question} 질문{}", colon(&text))
        }
        Event::QuestionRouted { question, to } => match to {
            QuestionRoute::Orchestrator => format!("{question} 질문을 오케스트레이터가 검토하는 중"),
            QuestionRoute::Person => format!("{question} 질문이 내 답변을 기다림"),
        },
        Event::QuestionForwarded { question, text } => format!("{question} 질문을 넘김{}", colon(text)),
        Event::ClarificationRequested { question, text } => {
            format!("{question} 질문에 되물음{}", colon(text))
        }
        Event::QuestionAnswered { question, answer } => {
            format!("{question} 질문에 답함{}", colon(answer))
        }
        Event::QuestionDelivered { question, session } => {
            format!("{question} 질문의 답이 {session} 세션에 전해짐")
        }
        Event::QuestionResumed { question } => format!("{question} 질문의 답을 받아 작업이 이어짐"),
        Event::QuestionWithdrawn { question, reason } => {
            format!("{question} 질문을 거둠{}", colon(reason))
        }
        Event::QuestionExpired { question, default_used: took_default } => {
            let took = took_default.as_ref().map(|took| format!(", 기본값으로 정함{}", colon(took)));
            format!("{question} 질문의 기한이 지남{}", took.unwrap_or_default())
        }
        Event::ManyQuestionsAsked { agent, phase, count } => {
            format!("{agent} 에이전트가 {phase}단계에서 {count}번 물음")
        }
        Event::PermissionDecided { session, request: wish, allowed, rule } => {
            let may = if *allowed { "허용됨" } else { "허용되지 않음" };
            format!("{session} 세션의 {} {may}: {} ({rule})", act(wish.kind), brief(&wish.subject))
        }
        Event::PermissionRuleSaved { pattern, allowed, .. } => {
            let may = if *allowed { "허용" } else { "거부" };
            format!("앞으로 항상 {may}: {pattern}")
        }

        Event::RequestMade { request, dependency: asked, .. } => {
            format!("{request} 요청: {} 필요{}", asked.name, colon(&asked.description))
        }
        Event::RequestProvided { request, provided, default } => {
            let what = match provided {
                ProvidedResource::Environment { names } => list(names),
                ProvidedResource::File { path } => path.clone(),
                ProvidedResource::Permission { granted: true } => "허용됨".to_owned(),
                ProvidedResource::Permission { granted: false } => "허용되지 않음".to_owned(),
                ProvidedResource::Package { name, .. } => name.clone(),
            };
            let own = if *default { " (에이전트가 정한 기본값)" } else { "" };
            format!("{request} 요청이 처리됨: {what}{own}")
        }
        Event::RequestRefused { request, reason } => format!("{request} 요청을 거절함{}", colon(reason)),
        Event::RequestSkipped { request } => format!("{request} 요청을 건너뛰고 진행함"),
        Event::RequestDelivered { request, session } => {
            format!("{request} 요청의 결과를 {session} 세션에 알림")
        }

        Event::InvocationMade { invocation, caller, callee, task: wanted, .. } => {
            format!("{invocation} 호출: {caller} 세션이 {callee} 에이전트를 부름{}", colon(wanted))
        }
        Event::InvocationStarted { invocation, session } => {
            format!("{invocation} 호출을 {session} 세션에서 처리하는 중")
        }
        Event::InvocationEnded { invocation, outcome } => match outcome {
            InvocationOutcome::Completed { content, .. } => {
                format!("{invocation} 호출이 끝남{}", colon(content))
            }
            InvocationOutcome::Failed { reason } => format!("{invocation} 호출이 실패함{}", colon(reason)),
        },
        Event::ResultSubmitted { result, from, to, content, .. } => {
            format!("{result} 결과: {from} 세션이 {to} 에이전트에게 보냄{}", colon(content))
        }
        Event::ResultDelivered { result, session } => format!("{result} 결과가 {session} 세션에 전해짐"),
        Event::ChannelCreated { channel, session_a, session_b } => {
            format!("{channel} 연결이 {session_a} 세션과 {session_b} 세션을 이음")
        }
        Event::ChannelClosed { channel } => format!("{channel} 연결이 닫힘"),
        Event::DirectMessageSent { message, from, to, content, .. } => {
            format!("{message} 메시지: {from} 세션이 {to} 세션에 보냄{}", colon(content))
        }
        Event::DirectMessageReceived { message } => format!("{message} 메시지를 보내는 중"),
        Event::DirectMessageAcknowledged { message } => format!("{message} 메시지가 도착함"),

        Event::PhaseCompletionReported { phase, session, .. } => {
            format!("{session} 세션이 {phase}단계를 마쳤다고 함")
        }
        Event::GateOpened { phase, round, .. } => format!("{phase}단계가 게이트에 도착함 ({round}회차)"),
        Event::GateChecked { phase, report, .. } => {
            let how = if report.passed { "통과" } else { "실패" };
            format!("{phase}단계 검증 {how}{}", colon(&report.summary))
        }
        Event::GateVerifierStarted { phase, session, .. } => {
            format!("{phase}단계를 검증자가 {session} 세션에서 살펴보는 중")
        }
        Event::GatePassed { phase, .. } => format!("{phase}단계가 검증을 통과하고 승인을 기다림"),
        Event::GateApproved { phase, waived, note } => {
            let waived = if *waived { " (검증에 실패했지만 통과시킴)" } else { "" };
            let note = note.as_deref().map(colon).unwrap_or_default();
            format!("{phase}단계를 승인함{waived}{note}")
        }
        Event::GateFailed { phase, reason, tasks, .. } => {
            let again = if tasks.is_empty() {
                String::new()
            } else {
                format!(" (다시 할 작업: {})", list(tasks))
            };
            format!("{phase}단계가 통과하지 못함{}{again}", colon(reason))
        }

        Event::LoopStarted { feedback_loop, task, tester } => {
            let by = tester.as_ref().map(|tester| format!(" (테스터 {tester})")).unwrap_or_default();
            format!("{feedback_loop} 반복: {task} 작업의 구현과 테스트를 번갈아 함{by}")
        }
        Event::LoopRoundFailed { feedback_loop, round, feedback } => {
            let names: Vec<_> = feedback.failures.iter().map(|failure| failure.name.clone()).collect();
            let n_failures = names.len();
            format!("{feedback_loop} 반복: {round}회차에서 {n_failures}개 실패: {}", list(&names))
        }
        Event::LoopEnded { feedback_loop, outcome } => {
            let how = match outcome {
                LoopOutcome::Success => "테스트 통과",
                LoopOutcome::Failed => "작업이 다르게 끝남",
                LoopOutcome::Escalated => "너무 여러 번 시도해 위로 올림",
            };
            format!("{feedback_loop} 반복이 끝남: {how}")
        }

        Event::EscalationRaised { escalation, severity: how, title, cause, .. } => {
            let title = cause.as_ref().map_or_else(|| title.clone(), problem_title);
            format!("{escalation} 문제가 생김 (심각도 {}){}", severity(*how), colon(&title))
        }
        Event::EscalationForwarded { escalation, to, .. } => {
            format!("{escalation} 문제가 {}에게 올라감", level(*to))
        }
        Event::EscalationResolved { escalation, action: done, note } => {
            let how = done.as_ref().map_or("원인이 사라짐".to_owned(), action);
            format!("{escalation} 문제가 해결됨 ({how}){}", colon(note))
        }

        Event::ErrorReported { session, error, .. } => {
            format!("{session} 세션이 오류를 알림{}", colon(&error.message))
        }
        Event::UsageReported { session, usage, .. } => {
            format!("{session} 세션이 토큰 {}개를 씀", usage.tokens())
        }
        Event::BudgetRaised { subject, budget } => format!("{}의 예산을 {budget}까지 늘림", name(subject)),
        Event::LimitWaived { subject, limit: which } => {
            format!("{}에 더는 한도를 두지 않음: {}", name(subject), limit(*which))
        }

        Event::CheckpointRequested { checkpoint, task, .. } => {
            format!("{task} 작업의 {checkpoint} 체크포인트를 남기기로 함")
        }
        Event::CheckpointFinished { checkpoint, outcome } => match outcome {
            CheckpointOutcome::Made { commit, .. } => {
                format!("{checkpoint} 체크포인트를 남김: {}", short(commit))
            }
            CheckpointOutcome::Failed { error } => {
                format!("{checkpoint} 체크포인트를 남기지 못함{}", colon(error))
            }
        },
        Event::DiskBudgetExhausted { task, .. } => {
            format!("디스크에 {task} 작업 트리를 둘 자리가 없음: 새 작업을 시작하지 않음")
        }
        Event::OverlapDetected { overlap } => {
            let [first, second] = &overlap.tasks;
            let n_files = count(overlap.n_files);
            format!("{first}, {second} 작업이 같은 파일을 고침: {}", list_of(&overlap.files, n_files))
        }
        Event::OverlapResolved { tasks: [first, second] } => {
            format!("{first}, {second} 작업이 더는 같은 파일을 고치지 않음")
        }
        Event::EffectFinished { effect, error } => match error {
            None => format!("{}.{}번 일을 마침", effect.sequence, effect.index),
            Some(error) => format!("하지 못한 일{}", colon(error)),
        },

        Event::ChatMessageSent { text, .. } => format!("채팅{}", colon(text)),
        Event::ChatAnsweredWithStatus { n_done, n_tasks, running, n_running, questions, n_waiting } => {
            let works = match *n_running {
                0 => "일하는 에이전트 없음".to_owned(),
                n => format!("진행 중: {}", list_of(running, count(n))),
            };
            let waits = match (*n_waiting, questions.as_slice()) {
                (0, _) => "답을 기다리는 것 없음".to_owned(),
                (n, []) => format!("받은 일: {n}건"),
                (n, questions) => format!("답을 기다림: {}", list_of(questions, count(n))),
            };
            format!(
                "답할 오케스트레이터 에이전트가 없음. 작업 {n_tasks}개 중 {n_done}개 완료. {works}. {waits}. 에이전트에게 \
                 말하려면 질문에 답하거나, 터미널에 쓰거나, 힌트를 주어 작업을 다시 시키세요"
            )
        }
        Event::ResolveRequested { session, .. } => format!("{session} 세션이 다음에 할 일을 물음"),
        Event::ResolveAnswered { session, line } => format!("{session} 세션에 알림: {}", brief(line)),
    }
}
