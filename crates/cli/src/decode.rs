//! `jangdan decode`: shows what an agent said, a JSON object a line.
//!
//! Reads as the output comes, so that it can stand at the end of a pipe from a living agent.

use std::{
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use domain::{Role, SessionKey};
use protocol::{Decoder, Item, Keys, Options};
use runtime::prepare::input::{self, InputError};

use crate::{
    failure::{Failure, say_hint},
    printable::json,
};

/// As much as is read at once where nobody says otherwise.
const READ_BYTES: usize = 64 * 1024;

/// What `jangdan decode` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The file with the agent's output; `-` or nothing reads standard input
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Who speaks: only an orchestrator can say NEED_HUMAN
    #[arg(long, value_enum, default_value_t = Speaker::Worker)]
    role: Speaker,
    /// Feed so many bytes at a time; the result is the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    chunk: Option<u32>,
    /// The session's key
    #[arg(long, value_name = "K")]
    key: Option<SessionKey>,
    /// Whether a message must carry the key
    #[arg(long, value_enum, default_value_t = KeyRule::Optional)]
    keys: KeyRule,
    /// Read a program that repaints its screen
    #[arg(long)]
    screen: bool,
    /// Show near misses too
    #[arg(long)]
    near: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Speaker {
    Worker,
    Orchestrator,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KeyRule {
    Optional,
    Required,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if arguments.keys == KeyRule::Required && arguments.key.is_none() {
        say_hint("with --keys required and no --key nothing counts; give the session's key with --key");
    }
    let mut decoder = decoder(arguments);
    match decode(arguments, &mut decoder) {
        Ok(()) => {}
        Err(Stop::Input(error)) => {
            return Err(Failure { hint: Some(error.hint()), what: error.to_string(), exit: 1 });
        }
        Err(Stop::Output(error)) => {
            return Failure::from_output(&error).map_or(Ok(ExitCode::SUCCESS), Err);
        }
    }
    if decoder.repaints() {
        say_hint("this output moves the cursor up or switches screens; --screen reads what a person saw");
    }
    Ok(ExitCode::SUCCESS)
}

/// Why decoding ends before the output does.
enum Stop {
    Input(InputError),
    Output(io::Error),
}

fn decoder(arguments: &Arguments) -> Decoder {
    let options = Options {
        role: match arguments.role {
            Speaker::Worker => Role::Worker,
            Speaker::Orchestrator => Role::Orchestrator,
        },
        key: arguments.key.clone(),
        keys: match arguments.keys {
            KeyRule::Optional => Keys::Optional,
            KeyRule::Required => Keys::Required,
        },
        numeric_ids: false,
    };
    if arguments.screen { Decoder::screen(options) } else { Decoder::new(options) }
}

fn decode(arguments: &Arguments, decoder: &mut Decoder) -> Result<(), Stop> {
    let mut source = input::open(&arguments.file).map_err(Stop::Input)?;
    let mut buffer = vec![0; READ_BYTES];
    let chunk = arguments.chunk.map_or(READ_BYTES, |chunk| chunk as usize);
    loop {
        let length = read(&mut source, &mut buffer, &arguments.file)?;
        let Some(bytes) = buffer.get(..length).filter(|bytes| !bytes.is_empty()) else { break };
        let items: Vec<Item> = bytes.chunks(chunk).flat_map(|bytes| decoder.push(bytes)).collect();
        print(&items, arguments.near).map_err(Stop::Output)?;
    }
    print(&decoder.end_turn(), arguments.near).map_err(Stop::Output)
}

fn read(source: &mut impl Read, buffer: &mut [u8], path: &Path) -> Result<usize, Stop> {
    loop {
        match source.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other.map_err(|error| Stop::Input(InputError::of(path, error))),
        }
    }
}

fn print(items: &[Item], near: bool) -> io::Result<()> {
    let mut output = io::BufWriter::new(io::stdout().lock());
    for item in items.iter().filter(|item| near || !matches!(item, Item::Near(_))) {
        writeln!(output, "{}", json(item)?)?;
    }
    output.flush()
}
