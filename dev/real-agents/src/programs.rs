//! How each real agent is pointed to a model on loopback.
//!
//! All of it was seen by running them. `$MODEL` stands for the model's address, `$WORK` for the folder that
//! it works in.

use anyhow::{Context, Result};

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
}

/// Finds an agent by its name.
pub fn find(name: &str) -> Result<&'static Agent> {
    ALL.iter().find(|agent| agent.name == name).with_context(|| format!("there is no agent {name}"))
}

/// The agents.
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
        // So that its screen asks nothing at its first start; the key is named by its last letters.
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
        // Without this every start tries to fetch a list of models.
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
