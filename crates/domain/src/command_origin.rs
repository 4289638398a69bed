//! Where a command of a user comes from.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a command of a user comes from. Recorded with every command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandOrigin {
    pub interface: CommandInterface,
    /// Id of the calling process; `None` if the server cannot determine it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<u32>,
    /// File name of the calling process's program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

/// The way in which a command reaches the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum CommandInterface {
    /// `jangdan` itself, over the Unix socket.
    Terminal,
    /// A browser with the cookie of the page.
    Page,
    /// Another program with the token.
    Api,
}

impl fmt::Display for CommandInterface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Terminal => "terminal",
            Self::Page => "page",
            Self::Api => "API",
        })
    }
}

impl fmt::Display for CommandOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.program, self.process) {
            (Some(program), Some(process)) => write!(f, "{}, {program} ({process})", self.interface),
            (None, Some(process)) => write!(f, "{}, process {process}", self.interface),
            (_, None) => write!(f, "{}", self.interface),
        }
    }
}
