//! The log of a server: `logs/jangdan.log` in the data directory, and warnings on the standard error of `jangdan serve`.
//!
//! A process without a server writes nothing, so it never creates or rotates the file of another process.

mod rotating_file;

use std::{env, io, panic, path::Path, sync::Mutex, thread};

use clap::{Args, ValueEnum};
use tracing_subscriber::{
    EnvFilter, Layer, Registry, filter::LevelFilter, fmt, layer::SubscriberExt, util::SubscriberInitExt,
};

use self::rotating_file::RotatingFile;
use crate::{failure::Failure, localized::localized};

/// Environment variable with the filter of the file, such as `debug` or `info,server=debug`.
const FILTER_VARIABLE: &str = "JANGDAN_LOG";
const DEFAULT_FILTER: &str = "info";

#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// Format of the server's log
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

/// Where the log is written besides the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogConsole {
    /// Nowhere: the terminal shows a run.
    None,
    /// Warnings and errors to standard error.
    StandardError,
}

/// Starts the log of this process.
pub(crate) fn start(data: &Path, arguments: &LogArguments, console: LogConsole) -> Result<(), Failure> {
    let filter = read_filter()?;
    let format = arguments.log_format;
    let file = Mutex::new(RotatingFile::in_folder(data.join("logs")));
    let mut layers = vec![format.layer(file).with_filter(filter).boxed()];
    if console == LogConsole::StandardError {
        layers.push(format.layer(io::stderr).with_filter(LevelFilter::WARN).boxed());
    }
    let started = tracing_subscriber::registry().with(layers).try_init();
    started.map_err(|error| Failure {
        what: localized(
            format!("Cannot start the log of the server ({error})."),
            format!("서버 로그를 시작할 수 없습니다({error})."),
        ),
        hint: None,
        exit: 1,
    })?;
    log_panics();
    Ok(())
}

impl LogFormat {
    fn layer<W>(self, writer: W) -> Box<dyn Layer<Registry> + Send + Sync>
    where
        W: for<'writer> fmt::MakeWriter<'writer> + Send + Sync + 'static,
    {
        // A line that cannot be written is lost: neither a full disk nor a closed pipe may disturb the server or the
        // screen of a run.
        let layer = fmt::layer().with_ansi(false).log_internal_errors(false).with_writer(writer);
        match self {
            Self::Text => layer.boxed(),
            Self::Json => layer.json().flatten_event(true).boxed(),
        }
    }
}

fn read_filter() -> Result<EnvFilter, Failure> {
    let text = env::var_os(FILTER_VARIABLE).filter(|text| !text.is_empty());
    let text = text.map_or_else(|| DEFAULT_FILTER.to_owned(), |text| text.to_string_lossy().into_owned());
    EnvFilter::try_new(text).map_err(|error| Failure {
        what: localized(
            format!("{FILTER_VARIABLE} is invalid ({error})."),
            format!("{FILTER_VARIABLE} 값이 올바르지 않습니다({error})."),
        ),
        hint: Some(localized(
            format!("Use a level, such as {FILTER_VARIABLE}=debug, or {FILTER_VARIABLE}=info,server=debug"),
            format!(
                "수준을 지정하세요. 예: {FILTER_VARIABLE}=debug 또는 {FILTER_VARIABLE}=info,server=debug"
            ),
        )),
        exit: 2,
    })
}

/// Logs every panic, in addition to the message on standard error.
fn log_panics() {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let location = panic.location().map(ToString::to_string);
        tracing::error!(
            thread = thread::current().name(),
            location,
            "{}",
            panic.payload_as_str().unwrap_or("panic")
        );
        print(panic);
    }));
}
