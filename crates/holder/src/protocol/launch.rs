//! What to start, and how: the content of a start request.

use std::{
    ffi::{OsStr, OsString},
    fmt,
    os::unix::ffi::OsStrExt,
    path::PathBuf,
    time::Duration,
};

use crate::{
    fields::{FieldReader, FieldWriter},
    mask::Secret,
};

/// A command with its environment. Debug output shows variable names but not their values.
#[derive(Clone, PartialEq, Eq)]
pub struct LaunchSpec {
    /// Name of the session, which all descendants carry as `JANGDAN_SESSION`. Letters, digits, `-`, `_` and `.`.
    pub session: String,
    /// Without a slash it is looked up in the `PATH` of `environment`.
    pub command: OsString,
    /// Without the command itself.
    pub arguments: Vec<OsString>,
    /// The complete environment: nothing is inherited.
    pub environment: Vec<(OsString, OsString)>,
    /// Working directory of the agent.
    pub directory: PathBuf,
    /// Terminal or pipes.
    pub attachment: StdioAttachment,
    /// Memory and time limits.
    pub limits: ResourceLimits,
    /// Cgroup v2 folder in which the holder may create the session's cgroup.
    pub cgroup_parent: Option<PathBuf>,
    /// Time for descendants to end after the agent has ended, before they are killed.
    pub leftover_grace: Duration,
    /// Values to mask from the beginning.
    pub secrets: Vec<Secret>,
    /// Folder that is removed after the last process has ended.
    pub temporary: Option<PathBuf>,
}

/// How an agent is connected to its holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StdioAttachment {
    /// A terminal of this size.
    Terminal(WindowSize),
    /// Three pipes instead of a terminal.
    Pipes {
        /// Where standard error goes.
        stderr: StderrMode,
    },
}

/// Where the standard error of an agent with pipes goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StderrMode {
    /// A separate stream.
    Apart,
    /// Merged into standard output, in order.
    Merged,
}

/// Size of a terminal in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowSize {
    /// Characters per line.
    pub columns: u16,
    /// Number of lines.
    pub rows: u16,
}

/// Resource limits of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceLimits {
    /// For all processes together if there is a cgroup, otherwise for each of them.
    pub memory_bytes_max: Option<u64>,
    /// Time after which the agent is ended; pauses do not count.
    pub time_max: Option<Duration>,
    /// Grace period when the time limit is reached.
    pub end_grace: Duration,
    /// Preference of the out-of-memory killer, 0 to 1000.
    pub oom_score: u16,
    /// Bytes of output after which the agent is ended.
    pub output_bytes_max: Option<u64>,
}

impl fmt::Debug for LaunchSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.environment.iter().map(|(name, _)| name).collect();
        f.debug_struct("LaunchSpec")
            .field("session", &self.session)
            .field("command", &self.command)
            .field("environment", &names)
            .field("directory", &self.directory)
            .field("attachment", &self.attachment)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl LaunchSpec {
    pub(super) fn write_fields(&self, bytes: &mut Vec<u8>) {
        bytes.put_bytes(self.session.as_bytes());
        bytes.put_bytes(self.command.as_bytes());
        put_list(bytes, self.arguments.iter().map(|argument| argument.as_bytes()));
        put_list(
            bytes,
            self.environment.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]),
        );
        bytes.put_bytes(self.directory.as_os_str().as_bytes());
        let (kind, size) = match self.attachment {
            StdioAttachment::Terminal(size) => (0, size),
            StdioAttachment::Pipes { stderr: StderrMode::Apart } => (1, WindowSize { columns: 0, rows: 0 }),
            StdioAttachment::Pipes { stderr: StderrMode::Merged } => (2, WindowSize { columns: 0, rows: 0 }),
        };
        bytes.put_u8(kind);
        bytes.put_u16(size.columns);
        bytes.put_u16(size.rows);
        bytes.put_optional_u64(self.limits.memory_bytes_max);
        bytes.put_optional_u64(self.limits.time_max.map(milliseconds));
        bytes.put_u64(milliseconds(self.limits.end_grace));
        bytes.put_u16(self.limits.oom_score);
        bytes.put_bytes(self.cgroup_parent.as_ref().map_or(b"", |path| path.as_os_str().as_bytes()));
        bytes.put_u64(milliseconds(self.leftover_grace));
        put_list(bytes, self.secrets.iter().map(Secret::value));
        bytes.put_bytes(self.temporary.as_ref().map_or(b"", |path| path.as_os_str().as_bytes()));
        bytes.put_optional_u64(self.limits.output_bytes_max);
    }

    pub(super) fn read_fields(fields: &mut FieldReader<'_>) -> Option<Self> {
        let session = String::from_utf8(fields.bytes()?.to_vec()).ok()?;
        let command = os_string(fields.bytes()?);
        let arguments = read_list(fields)?.into_iter().map(os_string).collect();
        let environment = read_list(fields)?
            .chunks(2)
            .map(
                |pair| {
                    if let [name, value] = pair { Some((os_string(name), os_string(value))) } else { None }
                },
            )
            .collect::<Option<Vec<_>>>()?;
        let directory = PathBuf::from(os_string(fields.bytes()?));
        let kind = fields.u8()?;
        let size = WindowSize { columns: fields.u16()?, rows: fields.u16()? };
        let attachment = match kind {
            0 => StdioAttachment::Terminal(size),
            1 => StdioAttachment::Pipes { stderr: StderrMode::Apart },
            2 => StdioAttachment::Pipes { stderr: StderrMode::Merged },
            _ => return None,
        };
        let mut limits = ResourceLimits {
            memory_bytes_max: fields.optional_u64()?,
            time_max: fields.optional_u64()?.map(Duration::from_millis),
            end_grace: Duration::from_millis(fields.u64()?),
            oom_score: fields.u16()?,
            output_bytes_max: None,
        };
        let cgroup_parent = read_optional_path(fields)?;
        let leftover_grace = Duration::from_millis(fields.u64()?);
        let secrets = read_secrets(fields)?;
        let temporary = read_optional_path(fields)?;
        limits.output_bytes_max = fields.optional_u64()?;
        Some(Self {
            session,
            command,
            arguments,
            environment,
            directory,
            attachment,
            limits,
            cgroup_parent,
            leftover_grace,
            secrets,
            temporary,
        })
    }
}

fn read_optional_path(fields: &mut FieldReader<'_>) -> Option<Option<PathBuf>> {
    Some(Some(fields.bytes()?).filter(|path| !path.is_empty()).map(|path| os_string(path).into()))
}

pub(super) fn read_secrets(fields: &mut FieldReader<'_>) -> Option<Vec<Secret>> {
    Some(read_list(fields)?.into_iter().map(|value| Secret::new(value.to_vec())).collect())
}

pub(super) fn put_list<'a>(bytes: &mut Vec<u8>, items: impl Iterator<Item = &'a [u8]>) {
    for item in items {
        bytes.put_u8(1);
        bytes.put_bytes(item);
    }
    bytes.put_u8(0);
}

pub(super) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Reads a list. The frame bounds its length, as every item takes five bytes.
fn read_list<'a>(fields: &mut FieldReader<'a>) -> Option<Vec<&'a [u8]>> {
    let mut items = Vec::new();
    while fields.u8()? == 1 {
        items.push(fields.bytes()?);
    }
    Some(items)
}

fn os_string(bytes: impl AsRef<[u8]>) -> OsString {
    OsStr::from_bytes(bytes.as_ref()).to_owned()
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn a_launch_is_read_as_it_was_written() {
        let launch = LaunchSpec {
            session: "s-1".into(),
            command: "sh".into(),
            arguments: vec!["-c".into(), OsString::from_vec(vec![0xff, b'x'])],
            environment: vec![("PATH".into(), "/bin".into()), ("EMPTY".into(), "".into())],
            directory: "/".into(),
            attachment: StdioAttachment::Terminal(WindowSize { columns: 80, rows: 24 }),
            limits: ResourceLimits {
                memory_bytes_max: Some(1 << 30),
                time_max: Some(Duration::from_secs(5)),
                end_grace: Duration::from_millis(7),
                oom_score: 500,
                output_bytes_max: Some(1 << 31),
            },
            cgroup_parent: Some("/sys/fs/cgroup/x".into()),
            leftover_grace: Duration::from_millis(9),
            secrets: vec![Secret::new(b"hidden".to_vec())],
            temporary: Some("/tmp/x".into()),
        };
        let mut bytes = Vec::new();
        launch.write_fields(&mut bytes);
        let mut fields = FieldReader::new(&bytes);
        assert_eq!(LaunchSpec::read_fields(&mut fields), Some(launch));
        assert!(fields.is_empty());
        for cut in 0..bytes.len() {
            assert_eq!(LaunchSpec::read_fields(&mut FieldReader::new(&bytes[..cut])), None);
        }
    }
}
