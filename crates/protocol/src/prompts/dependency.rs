//! Replies to requests for dependencies. They contain names and locations, never a value.

use domain::{DependencyType, Locale};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::{localized, prompt_text::PromptText};

/// A requested dependency is available.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyProvided {
    /// For example `d_4`.
    pub request_id: String,
    /// The name in the agent's request.
    pub name: String,
    pub access: DependencyAccess,
    /// Whether the default of the request was used.
    pub is_default: bool,
}

/// How the agent accesses a provided dependency, by the type of its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DependencyAccess {
    /// A secret in an environment variable.
    ApiKey {
        env: String,
    },
    EnvVariable {
        env: String,
    },
    /// A service, described by environment variables.
    Service {
        envs: Vec<String>,
    },
    File {
        /// Relative to the worktree.
        path: String,
    },
    /// A user's decision.
    Permission {
        granted: bool,
    },
    /// A package that was added to the project.
    Package {
        package: String,
        version: Option<String>,
    },
}

/// A requested dependency will not be provided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DependencyRefused {
    /// For example `d_4`.
    pub request_id: String,
    /// The name in the agent's request.
    pub name: String,
    /// `skipped` if a user skipped the request.
    pub reason: String,
}

impl DependencyProvided {
    pub(super) fn write(&self, locale: Locale, text: &mut PromptText) {
        let Self { request_id, name, access, is_default } = self;
        text.push_line(&format!("[{} {request_id} {name}]", localized(locale, "PROVIDED", "제공됨")));
        text.push_line(&access.sentence(locale));
        if *is_default {
            text.push_line(localized(locale, "The default was used.", "기본값을 사용했습니다."));
        }
    }
}

impl DependencyAccess {
    /// Returns the type of the request.
    pub fn dependency_type(&self) -> DependencyType {
        match self {
            Self::ApiKey { .. } => DependencyType::ApiKey,
            Self::EnvVariable { .. } => DependencyType::EnvVariable,
            Self::Service { .. } => DependencyType::Service,
            Self::File { .. } => DependencyType::File,
            Self::Permission { .. } => DependencyType::Permission,
            Self::Package { .. } => DependencyType::Package,
        }
    }

    fn sentence(&self, locale: Locale) -> String {
        match (self, locale) {
            (Self::ApiKey { env } | Self::EnvVariable { env }, Locale::En) => {
                format!("Every command that you start from now on has it in the environment variable {env}.")
            }
            (Self::ApiKey { env } | Self::EnvVariable { env }, Locale::Ko) => {
                format!("이제부터 실행하는 모든 명령의 환경 변수 {env}에 들어 있습니다.")
            }
            (Self::Service { envs }, Locale::En) => {
                let envs = envs.join(", ");
                format!("Every command that you start from now on has these environment variables: {envs}")
            }
            (Self::Service { envs }, Locale::Ko) => {
                format!("이제부터 실행하는 모든 명령에 다음 환경 변수가 있습니다: {}", envs.join(", "))
            }
            (Self::File { path }, Locale::En) => format!("The file is at {path}"),
            (Self::File { path }, Locale::Ko) => format!("파일 위치: {path}"),
            (Self::Permission { granted: true }, _) => {
                localized(locale, "Permission granted.", "허가되었습니다.").to_owned()
            }
            (Self::Permission { granted: false }, _) => {
                localized(locale, "Permission denied.", "허가되지 않았습니다.").to_owned()
            }
            (Self::Package { package, version }, _) => {
                let version = version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
                format!(
                    "{}: {package}{version}",
                    localized(locale, "The package was added", "패키지를 추가했습니다")
                )
            }
        }
    }
}

impl DependencyRefused {
    pub(super) fn write(&self, locale: Locale, text: &mut PromptText) {
        let Self { request_id, name, reason } = self;
        text.push_line(&format!("[{} {request_id} {name}]", localized(locale, "REFUSED", "거절됨")));
        text.push_field(localized(locale, "reason", "이유"), reason);
        text.push_line(localized(
            locale,
            "Continue without it if you can; otherwise report the task as failed, with the reason.",
            "없이도 가능하면 계속하고, 아니면 작업 실패와 이유를 보고해 주세요.",
        ));
    }
}

/// The fields that all types share, and those of the type.
impl Serialize for DependencyProvided {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { request_id, name, access, is_default } = self;
        let mut object = serializer.serialize_struct("DependencyProvided", 6)?;
        object.serialize_field("requestId", request_id)?;
        object.serialize_field("name", name)?;
        object.serialize_field("kind", &access.dependency_type())?;
        match access {
            DependencyAccess::ApiKey { env } | DependencyAccess::EnvVariable { env } => {
                object.serialize_field("env", env)?
            }
            DependencyAccess::Service { envs } => object.serialize_field("envs", envs)?,
            DependencyAccess::File { path } => object.serialize_field("path", path)?,
            DependencyAccess::Permission { granted } => object.serialize_field("granted", granted)?,
            DependencyAccess::Package { package, version } => {
                object.serialize_field("package", package)?;
                if let Some(version) = version {
                    object.serialize_field("version", version)?;
                }
            }
        }
        if *is_default {
            object.serialize_field("default", &true)?;
        }
        object.end()
    }
}
