//! The configuration by which each real agent uses a model on loopback, found by running them.
//!
//! `$MODEL` stands for the address of the model, `$WORK` for the working folder.

use anyhow::{Context, Result};

/// A real agent and its configuration.
pub(crate) struct Agent {
    /// The name in options and in the table.
    pub name: &'static str,
    /// The program that npm installed.
    pub program: &'static str,
    /// Additional environment variables.
    pub environment: &'static [(&'static str, &'static str)],
    /// Files in the home folder: path and content.
    pub files: &'static [(&'static str, &'static str)],
}

/// Finds an agent by its name.
pub(crate) fn find_agent(name: &str) -> Result<&'static Agent> {
    ALL.iter().find(|agent| agent.name == name).with_context(|| format!("unknown agent {name}"))
}

const ALL: [Agent; 4] = [
    Agent {
        name: "claude",
        program: "claude",
        environment: &[
            ("ANTHROPIC_BASE_URL", "$MODEL"),
            ("ANTHROPIC_API_KEY", "sk-ant-dummy"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
        ],
        // Skips the questions of the first start; the key is approved by its last characters.
        files: &[(
            ".claude.json",
            r#"{"hasCompletedOnboarding":true,"theme":"dark","customApiKeyResponses":{"approved":["sk-ant-dummy"],"rejected":[]},"projects":{"$WORK":{"hasTrustDialogAccepted":true}}}"#,
        )],
    },
    Agent {
        name: "codex",
        program: "codex",
        environment: &[("MOCK_KEY", "x")],
        files: &[(
            ".codex/config.toml",
            "model = \"mock\"\nmodel_provider = \"mock\"\ncheck_for_update_on_startup = false\n\
             [projects.\"$WORK\"]\ntrust_level = \"trusted\"\n[model_providers.mock]\nname = \"mock\"\n\
             base_url = \"$MODEL/v1\"\nwire_api = \"responses\"\nenv_key = \"MOCK_KEY\"\n",
        )],
    },
    Agent {
        name: "opencode",
        program: "opencode",
        // Otherwise every start tries to fetch a list of models.
        environment: &[("OPENCODE_DISABLE_MODELS_FETCH", "1")],
        files: &[(
            ".config/opencode/opencode.json",
            r#"{"model":"mock/m","provider":{"mock":{"npm":"@ai-sdk/openai-compatible","name":"mock","options":{"baseURL":"$MODEL/v1","apiKey":"x"},"models":{"m":{"name":"m"}}}},"autoupdate":false,"share":"disabled"}"#,
        )],
    },
    Agent {
        name: "gemini",
        program: "gemini",
        environment: &[("GEMINI_API_KEY", "dummy"), ("GOOGLE_GEMINI_BASE_URL", "$MODEL")],
        files: &[(
            ".gemini/settings.json",
            r#"{"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":false}},"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false}}"#,
        )],
    },
];
