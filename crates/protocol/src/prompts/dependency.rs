//! Replies to requests for dependencies. They contain names and locations, never a value.

use domain::{DependencyType, Locale};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::templates::{PromptTemplate, TemplateValues, render_template};

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
    pub(super) fn render(&self, locale: Locale) -> String {
        let Self { request_id, name, access, is_default } = self;
        let default = || render_template(PromptTemplate::ProvidedDefault, locale, &TemplateValues::new());
        let values = TemplateValues::new()
            .text("request", request_id)
            .text("name", name)
            .text("access", access.sentence(locale))
            .optional("default", is_default.then(default));
        render_template(PromptTemplate::Provided, locale, &values)
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
        let values = TemplateValues::new();
        let (template, values) = match self {
            Self::ApiKey { env } | Self::EnvVariable { env } => {
                (PromptTemplate::ProvidedVariable, values.text("names", env))
            }
            Self::Service { envs } => (PromptTemplate::ProvidedVariables, values.items("names", envs)),
            Self::File { path } => (PromptTemplate::ProvidedFile, values.text("path", path)),
            Self::Permission { granted: true } => (PromptTemplate::ProvidedPermission, values),
            Self::Permission { granted: false } => (PromptTemplate::ProvidedDenial, values),
            Self::Package { package, version } => {
                let version = version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
                (PromptTemplate::ProvidedPackage, values.text("package", format!("{package}{version}")))
            }
        };
        render_template(template, locale, &values)
    }
}

impl DependencyRefused {
    pub(super) fn render(&self, locale: Locale) -> String {
        let Self { request_id, name, reason } = self;
        let values =
            TemplateValues::new().text("request", request_id).text("name", name).text("reason", reason);
        render_template(PromptTemplate::Refused, locale, &values)
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
