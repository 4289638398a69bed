//! Every prompt as an agent receives it, by role and language, in `docs/prompts.md`, with its length in tokens.
//!
//! The test compares the document. `JANGDAN_UPDATE_DOCUMENTS=1 cargo test -p drivers --test prompts_document` writes it.

#![expect(clippy::disallowed_methods, reason = "the document is a file")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

#[path = "prompts_document/samples.rs"]
mod samples;

use std::{collections::BTreeSet, env, fmt::Write, fs, path::Path};

use domain::{Locale, Role, SessionInput};
use drivers::{
    AgentInput,
    input_text::{InputContext, render_input, with_preamble},
    preset::InputEncoding,
};
use protocol::{AcceptedTaskIds, Decoder, DecoderOptions, KeyRequirement};
use tiktoken_rs::CoreBPE;

use samples::{PromptSample, SessionKind, samples};

/// Tokens of a session's first prompt beside the work itself.
const TOKENS_MAX_EN: usize = 350;
const TOKENS_MAX_KO: usize = 420;

const INTRODUCTION: &str = "\
# Prompts

Every text that Jangdan sends to an agent, as the agent receives it, for an example project with two phases. The templates are
in [crates/protocol/src/prompts/templates](../crates/protocol/src/prompts/templates); `prompt.template` in
[jangdan.toml](configuration.md) replaces the one of a task. Agents that read JSON get the same content as
[one object per line](protocol.md#replies).

The first prompt of a session has at most 350 tokens beside the work itself (what the plan says about the task and
the tasks around it, the members of the team, or the request, problem or question that it is about), in Korean 420. Tokens are those of the `o200k_base` encoding; other models count slightly
differently. A line in backticks is an example, which does not count as a message when it is printed again.

This page is generated and checked by a test: `JANGDAN_UPDATE_DOCUMENTS=1 cargo test -p drivers --test prompts_document`.
";

#[test]
fn document_has_every_prompt() {
    let tokens = tiktoken_rs::o200k_base().unwrap();
    let mut document = INTRODUCTION.to_owned();
    for (locale, language) in [(Locale::En, "English"), (Locale::Ko, "Korean")] {
        write!(document, "\n## {language}\n").unwrap();
        for sample in samples(locale) {
            let text = render_sample(&sample, locale);
            let count = count_tokens(&tokens, &text);
            let beside = match sample.is_first {
                true => format!(", {} beside the work itself", count - count_tokens(&tokens, &sample.work)),
                false => String::new(),
            };
            write!(document, "\n### {}\n\n{count} tokens{beside}.\n\n````text\n{text}\n````\n", sample.title)
                .unwrap();
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/prompts.md");
    if env::var_os("JANGDAN_UPDATE_DOCUMENTS").is_some() {
        return fs::write(path, document).unwrap();
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    let difference = document.lines().zip(found.lines()).find(|(expected, found)| expected != found);
    assert!(
        found == document,
        "docs/prompts.md is out of date; set JANGDAN_UPDATE_DOCUMENTS=1 to write it. First difference: {difference:?}"
    );
}

#[test]
fn first_prompt_is_short() {
    let tokens = tiktoken_rs::o200k_base().unwrap();
    let mut roles = BTreeSet::new();
    for (locale, tokens_max) in [(Locale::En, TOKENS_MAX_EN), (Locale::Ko, TOKENS_MAX_KO)] {
        for sample in samples(locale).into_iter().filter(|sample| sample.is_first) {
            // A key as sessions have, with more tokens than most.
            let text = render_sample(&sample, locale).replace("k3f9", "kq8x27");
            let count = count_tokens(&tokens, &text) - count_tokens(&tokens, &sample.work);
            assert!(count <= tokens_max, "{count} tokens of {} in {locale:?}:\n{text}", sample.title);
            roles.insert(format!("{:?}", sample.session.role()));
        }
    }
    assert_eq!(roles.len(), 6, "every role has a first prompt: {roles:?}");
}

#[test]
fn prompts_of_the_document_do_not_decode_to_messages() {
    for locale in [Locale::En, Locale::Ko] {
        for sample in samples(locale) {
            let text = render_sample(&sample, locale);
            let role = Role::Orchestrator;
            for key_requirement in [KeyRequirement::Optional, KeyRequirement::Required] {
                let key = Some(samples::session_key());
                let options = DecoderOptions { role, key, key_requirement, task_ids: AcceptedTaskIds::Any };
                let mut decoder = Decoder::new(options);
                let mut items = decoder.push(format!("{text}\n").as_bytes());
                items.extend(decoder.end_turn());
                assert!(items.is_empty(), "{}: {items:#?}\n{text}", sample.title);
            }
        }
    }
}

#[test]
fn prompts_name_only_tasks_of_the_run() {
    // An example with the id of another task would be obeyed.
    for sample in samples(Locale::En) {
        let text = render_sample(&sample, Locale::En);
        let codes = text.split('`').skip(1).step_by(2);
        for code in codes.filter(|code| code.starts_with("DONE:") || code.starts_with("FAIL:")) {
            let id = code.split([':', ' ']).nth(1).unwrap();
            let expected: &[&str] = match sample.session {
                SessionKind::Worker | SessionKind::LoneWorker | SessionKind::Tester => &["T1.3"],
                SessionKind::Verifier => &["T1.2"],
                SessionKind::Specialist => &["T0"],
                SessionKind::Operator | SessionKind::Orchestrator => &[],
            };
            assert!(expected.contains(&id), "{code} in {}:\n{text}", sample.title);
        }
    }
}

/// Renders a sample as the runtime does: the first input of a session follows the preamble, unless the prompt has it.
fn render_sample(sample: &PromptSample, locale: Locale) -> String {
    let (key, task) = (samples::session_key(), sample.session.task());
    let context = InputContext {
        role: sample.session.role(),
        locale,
        format: InputEncoding::Text,
        key: Some(&key),
        task: task.as_ref(),
        brief: sample.brief.as_ref(),
        template: None,
    };
    let AgentInput::Prompt { text } = render_input(&sample.input, context) else {
        panic!("{} is not a prompt", sample.title)
    };
    if !sample.is_first || matches!(sample.input, SessionInput::Task { .. }) {
        return text;
    }
    with_preamble(&sample.session.preamble(locale), &text, InputEncoding::Text)
}

fn count_tokens(tokens: &CoreBPE, text: &str) -> usize {
    tokens.encode_ordinary(text).len()
}
