//! `jangdan decode`: prints the messages in an agent's output as JSON, one object per line.
//!
//! Decodes while it reads, so it can be the end of a pipe from a running agent.

use std::{
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use domain::{Role, SessionKey, TaskId};
use protocol::{AcceptedTaskIds, DecodedItem, Decoder, DecoderOptions, KeyRequirement};
use runtime::prepare::input::{self, InputError};

use crate::{
    failure::{Failure, print_hint},
    input_failure::input_failure,
    localized::localized,
    printable::printable_json,
};

/// Default size of a read.
const READ_BYTES: usize = 64 * 1024;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// File with the agent's output; - reads standard input
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Role of the agent; only an orchestrator can send NEED_HUMAN
    #[arg(long, value_enum, default_value_t = SpeakerRole::Worker)]
    role: SpeakerRole,
    /// Decode in chunks of N bytes; the result is the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    chunk: Option<u32>,
    /// Key of the session
    #[arg(long, value_name = "K")]
    key: Option<SessionKey>,
    /// Whether messages must contain the key
    #[arg(long, value_enum, default_value_t = KeyRequirementArgument::Optional)]
    keys: KeyRequirementArgument,
    /// Decode the output of a full-screen program
    #[arg(long)]
    screen: bool,
    /// Ids of the plan that are not of the form T1.3, such as 1.2,ST-001
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    task_ids: Vec<TaskId>,
    /// Also print near misses
    #[arg(long)]
    near: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SpeakerRole {
    Worker,
    Orchestrator,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KeyRequirementArgument {
    Optional,
    Required,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if arguments.keys == KeyRequirementArgument::Required && arguments.key.is_none() {
        print_hint(&localized(
            "With --keys required, no message counts without the session key: add --key.",
            "--keys required를 쓰면 세션 키가 없는 메시지는 인정하지 않습니다. --key를 추가하세요.",
        ));
    }
    let mut decoder = build_decoder(arguments);
    match decode(arguments, &mut decoder) {
        Ok(()) => {}
        Err(DecodeError::Input(error)) => return Err(input_failure(&error)),
        Err(DecodeError::Output(error)) => {
            return Failure::from_output_error(&error).map_or(Ok(ExitCode::SUCCESS), Err);
        }
    }
    if decoder.repaints_screen() {
        print_hint(&localized(
            "The output moves the cursor or switches screens. Use --screen to decode what a user sees.",
            "출력이 커서를 옮기거나 화면을 바꿉니다. 사용자가 보는 화면을 해석하려면 --screen을 사용하세요.",
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Why decoding stopped before the end of the output.
enum DecodeError {
    Input(InputError),
    Output(io::Error),
}

fn build_decoder(arguments: &Arguments) -> Decoder {
    let options = DecoderOptions {
        role: match arguments.role {
            SpeakerRole::Worker => Role::Worker,
            SpeakerRole::Orchestrator => Role::Orchestrator,
        },
        key: arguments.key.clone(),
        key_requirement: match arguments.keys {
            KeyRequirementArgument::Optional => KeyRequirement::Optional,
            KeyRequirementArgument::Required => KeyRequirement::Required,
        },
        task_ids: AcceptedTaskIds::OfPlan(arguments.task_ids.iter().collect()),
    };
    if arguments.screen { Decoder::for_screen(options) } else { Decoder::new(options) }
}

fn decode(arguments: &Arguments, decoder: &mut Decoder) -> Result<(), DecodeError> {
    let mut source = input::open(&arguments.file).map_err(DecodeError::Input)?;
    let mut buffer = vec![0; READ_BYTES];
    let chunk = arguments.chunk.map_or(READ_BYTES, |chunk| chunk as usize);
    loop {
        let length = read_input(&mut source, &mut buffer, &arguments.file)?;
        let Some(bytes) = buffer.get(..length).filter(|bytes| !bytes.is_empty()) else { break };
        let items: Vec<DecodedItem> = bytes.chunks(chunk).flat_map(|bytes| decoder.push(bytes)).collect();
        print(&items, arguments.near).map_err(DecodeError::Output)?;
    }
    print(&decoder.end_turn(), arguments.near).map_err(DecodeError::Output)
}

fn read_input(source: &mut impl Read, buffer: &mut [u8], path: &Path) -> Result<usize, DecodeError> {
    loop {
        match source.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => {
                return other.map_err(|error| DecodeError::Input(InputError::from_io_error(path, error)));
            }
        }
    }
}

fn print(items: &[DecodedItem], near: bool) -> io::Result<()> {
    let mut output = io::BufWriter::new(io::stdout().lock());
    for item in items.iter().filter(|item| near || !matches!(item, DecodedItem::NearMiss(_))) {
        writeln!(output, "{}", printable_json(item)?)?;
    }
    output.flush()
}
