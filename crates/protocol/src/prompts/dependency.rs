//! What became of a request for something from outside. Names and places only: a value has no field here.

use domain::{DependencyType, Locale};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::{localized, prompt_text::PromptText};

/// What the agent asked for is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyProvided {
    /// The request's id, e.g. `d_4`.
    pub request_id: String,
    /// The name under which the agent asked for it.
    pub name: String,
    /// Where it is.
    pub access: DependencyAccess,
    /// Whether it is the default that the agent named.
    pub is_default: bool,
}

/// Where a provided thing is, by the kind of request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DependencyAccess {
    /// A secret, in this environment variable.
    ApiKey {
        /// The variable's name.
        env: String,
    },
    /// An environment variable.
    EnvVariable {
        /// The variable's name.
        env: String,
    },
    /// A service, in these environment variables.
    Service {
        /// The variables' names.
        envs: Vec<String>,
    },
    /// A file, at this path.
    File {
        /// The path in the worktree.
        path: String,
    },
    /// A person's yes or no.
    Permission {
        /// Whether it is a yes.
        granted: bool,
    },
    /// A package, added to the project.
    Package {
        /// The package's name.
        package: String,
        /// Its version, where one is known.
        version: Option<String>,
    },
}

/// What the agent asked for will not come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DependencyRefused {
    /// The request's id, e.g. `d_4`.
    pub request_id: String,
    /// The name under which the agent asked for it.
    pub name: String,
    /// Why not; `skipped` where a person passed over it.
    pub reason: String,
}

impl DependencyProvided {
    pub(super) fn write(&self, locale: Locale, text: &mut PromptText) {
        let Self { request_id, name, access, is_default } = self;
        text.push_line(&format!("[{} {request_id} {name}]", localized(locale, "PROVIDED", "제공됨")));
        text.push_line(&access.sentence(locale));
        if *is_default {
            text.push_line(localized(locale, "The default was taken.", "기본값을 사용했습니다."));
        }
    }
}

impl DependencyAccess {
    /// Returns the kind of request that it answers.
    pub fn kind(&self) -> DependencyType {
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
                localized(locale, "You may.", "허가되었습니다.").to_owned()
            }
            (Self::Permission { granted: false }, _) => {
                localized(locale, "You may not.", "허가되지 않았습니다.").to_owned()
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
            "Go on without it if you can; else say that the task failed, and why.",
            "없이도 가능하면 계속하고, 아니면 작업 실패와 그 이유를 알려 주세요.",
        ));
    }
}

/// Each kind has a field of its own, beside those that all have.
impl Serialize for DependencyProvided {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { request_id, name, access, is_default } = self;
        let mut object = serializer.serialize_struct("DependencyProvided", 6)?;
        object.serialize_field("requestId", request_id)?;
        object.serialize_field("name", name)?;
        object.serialize_field("kind", &access.kind())?;
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
