//! How each real agent is pointed to a model on loopback, and asked one thing.
//!
//! All of it was seen by running them. `$MODEL` stands for the model's address.

use model_server::Dialect;

/// What is known of an agent.
pub struct Agent {
    /// Its name here.
    pub name: &'static str,
    /// Its program, among those that npm installed.
    pub program: &'static str,
    /// What is in its environment beside the usual.
    pub environment: &'static [(&'static str, &'static str)],
    /// What lies in its home.
    pub files: &'static [(&'static str, &'static str)],
    /// How it asks a model.
    pub dialect: Dialect,
    /// Its command line for one prompt.
    pub arguments: &'static [&'static str],
    /// How the prompt is given to it.
    pub prompt_by: PromptBy,
    /// Where its answer stands: the `type` of the line, and the place in it.
    pub answer: (&'static str, &'static str),
    /// Where it says how many tokens the model read.
    pub tokens: (&'static str, &'static str),
}

/// How a prompt is given.
pub enum PromptBy {
    /// As the last word of the command line.
    Argument,
    /// On standard input.
    Input,
    /// On standard input, as a line of JSON.
    JsonLine,
}

/// The agents.
pub const ALL: [Agent; 4] = [
    Agent {
        name: "claude",
        program: "claude",
        environment: &[
            ("ANTHROPIC_BASE_URL", "$MODEL"),
            ("ANTHROPIC_API_KEY", "sk-ant-dummy"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
        ],
        files: &[],
        dialect: Dialect::Anthropic,
        arguments: &["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
        prompt_by: PromptBy::JsonLine,
        answer: ("result", "/result"),
        tokens: ("result", "/usage/input_tokens"),
    },
    Agent {
        name: "codex",
        program: "codex",
        environment: &[("MOCK_KEY", "x")],
        files: &[(
            ".codex/config.toml",
            "model = \"mock\"\nmodel_provider = \"mock\"\n[model_providers.mock]\nname = \"mock\"\n\
             base_url = \"$MODEL/v1\"\nwire_api = \"responses\"\nenv_key = \"MOCK_KEY\"\n",
        )],
        dialect: Dialect::Responses,
        arguments: &["exec", "--json", "--skip-git-repo-check"],
        prompt_by: PromptBy::Argument,
        answer: ("item.completed", "/item/text"),
        tokens: ("turn.completed", "/usage/input_tokens"),
    },
    Agent {
        name: "opencode",
        program: "opencode",
        // Without this every start tries to fetch a list of models.
        environment: &[("OPENCODE_DISABLE_MODELS_FETCH", "1")],
        files: &[(
            ".config/opencode/opencode.json",
            r#"{"model":"mock/m","provider":{"mock":{"npm":"@ai-sdk/openai-compatible","name":"mock","options":{"baseURL":"$MODEL/v1","apiKey":"x"},"models":{"m":{"name":"m"}}}},"autoupdate":false,"share":"disabled"}"#,
        )],
        dialect: Dialect::Chat,
        arguments: &["run", "--format", "json"],
        // An argument would come out with its quotes escaped.
        prompt_by: PromptBy::Input,
        answer: ("text", "/part/text"),
        tokens: ("step_finish", "/part/tokens/input"),
    },
    Agent {
        name: "gemini",
        program: "gemini",
        environment: &[("GEMINI_API_KEY", "dummy"), ("GOOGLE_GEMINI_BASE_URL", "$MODEL")],
        files: &[(
            ".gemini/settings.json",
            r#"{"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":false}},"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false}}"#,
        )],
        dialect: Dialect::Google,
        arguments: &["-o", "stream-json", "-p"],
        prompt_by: PromptBy::Argument,
        answer: ("message", "/content"),
        tokens: ("result", "/stats/input_tokens"),
    },
];
