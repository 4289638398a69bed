//! Reads secret values: from a prompt that shows nothing of what is typed, or from standard input.

use std::io::{self, IsTerminal, Read, Write};

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use vault::{SecretValue, SecretValueError, VALUE_BYTES_MAX};
use zeroize::Zeroizing;

use crate::{failure::Failure, localized::localized};

const INTERRUPT: u8 = 3;
const END_OF_FILE: u8 = 4;
const BACKSPACE: u8 = 8;
const CLEAR_LINE: u8 = 21;
const DELETE: u8 = 127;

/// Reads the value of a variable. From standard input it is everything, without one trailing newline.
pub(crate) fn read_secret(name: &str) -> Result<SecretValue, Failure> {
    let text = if io::stdin().is_terminal() {
        read_hidden_line(&localized(format!("Value of {name}: "), format!("{name} 값: ")))?
    } else {
        read_standard_input()?
    };
    check_value(name, text)
}

/// Checks a value that was read.
pub(crate) fn check_value(name: &str, mut text: Zeroizing<String>) -> Result<SecretValue, Failure> {
    SecretValue::new(std::mem::take(&mut *text)).map_err(|error| value_failure(name, error))
}

/// Returns why a value is not usable.
pub(crate) fn value_failure(name: &str, error: SecretValueError) -> Failure {
    let what = match error {
        SecretValueError::Empty => localized(
            format!("The value of {name} is empty. Nothing was stored."),
            format!("{name} 값이 비어 있어 저장하지 않았습니다."),
        ),
        SecretValueError::TooLong => localized(
            format!("The value of {name} is longer than 8 KiB. Nothing was stored."),
            format!("{name} 값이 8KiB보다 길어 저장하지 않았습니다."),
        ),
        SecretValueError::ZeroByte => localized(
            format!("The value of {name} has a zero byte, which no environment variable can have."),
            format!("{name} 값에 환경 변수에 쓸 수 없는 0 바이트가 있습니다."),
        ),
    };
    let hint = localized(
        "Type or paste the value at the prompt, or pass it on standard input.",
        "프롬프트에 값을 입력하거나 붙여 넣거나, 표준 입력으로 전달하세요.",
    );
    Failure { what, hint: Some(hint), exit: 1 }
}

/// Reads standard input to its end, without one trailing newline.
pub(crate) fn read_standard_input() -> Result<Zeroizing<String>, Failure> {
    // Sized in advance: a text that grows leaves copies in freed memory.
    let mut bytes = Zeroizing::new(Vec::with_capacity(VALUE_BYTES_MAX + 4));
    let limit = VALUE_BYTES_MAX as u64 + 3;
    io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(|error| input_failure(&error))?;
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
    }
    to_text(&bytes)
}

/// Reads a line from the terminal without showing it.
fn read_hidden_line(prompt: &str) -> Result<Zeroizing<String>, Failure> {
    let terminal = HiddenTerminal::enter().map_err(|error| input_failure(&error))?;
    eprint!("{prompt}");
    let bytes = read_typed_line(&mut io::stdin().lock());
    drop(terminal);
    eprintln!();
    match bytes.map_err(|error| input_failure(&error))? {
        Some(bytes) => to_text(&bytes),
        None => Err(Failure {
            what: localized("Cancelled. Nothing was stored.", "취소했습니다. 저장하지 않았습니다."),
            hint: None,
            exit: 130,
        }),
    }
}

/// Reads what is typed until the line or the input ends; `None` if it is interrupted.
fn read_typed_line(input: &mut impl Read) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
    let mut typed = Zeroizing::new(Vec::with_capacity(VALUE_BYTES_MAX + 1));
    let mut byte = Zeroizing::new([0]);
    loop {
        match input.read(byte.as_mut_slice()) {
            Ok(0) => return Ok(Some(typed)),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        match byte[0] {
            b'\n' | b'\r' | END_OF_FILE => return Ok(Some(typed)),
            INTERRUPT => return Ok(None),
            CLEAR_LINE => typed.clear(),
            BACKSPACE | DELETE => {
                // All bytes of the last character.
                while let Some(last) = typed.pop() {
                    if last & 0xc0 != 0x80 {
                        break;
                    }
                }
            }
            // One more than allowed, so that a longer value is refused and not cut.
            other if typed.len() <= VALUE_BYTES_MAX => typed.push(other),
            _ => {}
        }
    }
}

fn to_text(bytes: &[u8]) -> Result<Zeroizing<String>, Failure> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Zeroizing::new(text.to_owned())),
        Err(_) => Err(Failure {
            what: localized("The value is not text in UTF-8.", "값이 UTF-8 텍스트가 아닙니다."),
            hint: Some(localized(
                "Encode it first, for example with base64.",
                "base64 등으로 먼저 인코딩하세요.",
            )),
            exit: 1,
        }),
    }
}

fn input_failure(error: &io::Error) -> Failure {
    Failure {
        what: localized(
            format!("Cannot read the value ({error})."),
            format!("값을 읽을 수 없습니다: {error}"),
        ),
        hint: None,
        exit: 1,
    }
}

/// The terminal without echo and line mode; restored when dropped.
struct HiddenTerminal {
    before: Termios,
}

impl HiddenTerminal {
    fn enter() -> io::Result<Self> {
        let terminal = Self { before: tcgetattr(io::stdin())? };
        let mut hidden = terminal.before.clone();
        // Signals of keys are read as bytes: after one the terminal would stay without echo.
        hidden.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
        hidden.special_codes[SpecialCodeIndex::VMIN] = 1;
        hidden.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(io::stdin(), OptionalActions::Flush, &hidden)?;
        Ok(terminal)
    }
}

impl Drop for HiddenTerminal {
    fn drop(&mut self) {
        let _ = io::stderr().flush();
        // A closed terminal needs no settings.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_line_ends_at_a_line_break_and_keys_edit_it() {
        let read = |typed: &[u8]| {
            let line = read_typed_line(&mut &typed[..]).unwrap();
            line.map(|line| String::from_utf8(line.to_vec()).unwrap())
        };
        let check = |typed: &[u8], expected: Option<&str>| assert_eq!(read(typed).as_deref(), expected);
        check(b"sk-1\rrest", Some("sk-1"));
        check(b"sk-1", Some("sk-1"));
        check(b"ab\x7fc\n", Some("ac"));
        check("a키\x08b\n".as_bytes(), Some("ab"));
        check(b"wrong\x15right\n", Some("right"));
        check(b"sk-1\x03", None);
        check(b"\x7f\n", Some(""));
        assert_eq!(read(&[b'x'; VALUE_BYTES_MAX + 9]).unwrap().len(), VALUE_BYTES_MAX + 1);
    }
}
