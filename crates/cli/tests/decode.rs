//! `jangdan decode`: its output and exit status.

#![expect(clippy::expect_used, reason = "a test that cannot continue must fail")]

use std::process::Output;

use assert_cmd::Command;

fn run_decode(arguments: &[&str], input: &[u8]) -> Output {
    Command::cargo_bin("jangdan")
        .expect("the binary")
        .arg("decode")
        .args(arguments)
        .write_stdin(input)
        .output()
        .expect("it ran")
}

fn decode_output(arguments: &[&str], input: &[u8]) -> String {
    let output = run_decode(arguments, input);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("JSON is UTF-8")
}

const OUTPUT: &str =
    "\x1b[1m[ASK_USER]\x1b[0m Which database?\nREADY: T1 and T2\nDONE:T1.3 k3f9\n[NEED_HUMAN: Ship it?]\n";

#[test]
fn each_message_is_a_json_line() {
    let expected = "{\"type\":\"DONE\",\"target\":null,\"payload\":{\"taskId\":\"T1.3\",\"fields\":{}},\"raw\":\"DONE:T1.3\",\"start\":2,\"end\":12}\n";
    assert_eq!(decode_output(&[], b"x\nDONE:T1.3\n"), expected);
    assert_eq!(decode_output(&["-"], b"x\nDONE:T1.3\n"), expected);
}

#[test]
fn the_example_transcript_is_decoded() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/transcript.txt");
    assert!(decode_output(&[example], b"").lines().count() >= 5);
}

#[test]
fn chunk_size_does_not_change_the_result() {
    let whole = decode_output(&["--near"], OUTPUT.as_bytes());
    for chunk in ["1", "2", "7", "4096"] {
        assert_eq!(decode_output(&["--near", "--chunk", chunk], OUTPUT.as_bytes()), whole, "{chunk}");
    }
}

#[test]
fn flags_select_messages() {
    let types = |arguments: &[&str]| -> Vec<String> {
        let kind = |line: &str| line.split('"').nth(3).unwrap_or_default().to_owned();
        decode_output(arguments, OUTPUT.as_bytes()).lines().map(kind).collect()
    };
    assert_eq!(types(&[]), ["ASK_USER"]);
    assert_eq!(types(&["--key", "k3f9"]), ["ASK_USER", "DONE"]);
    assert_eq!(types(&["--key", "k3f9", "--keys", "required"]), ["DONE"]);
    assert_eq!(types(&["--role", "orchestrator", "--key", "k3f9"]), ["ASK_USER", "DONE", "NEED_HUMAN"]);
    assert_eq!(types(&["--key", "k3f9", "--near"]), ["ASK_USER", "DONE", "NEAR"]);
    assert_eq!(types(&["--screen", "--key", "k3f9"]), ["ASK_USER", "DONE"]);
}

#[test]
fn any_bytes_are_accepted_and_unreadable_files_are_reported() {
    for input in [b"".as_slice(), b"\xff\xfe\x00binary\x80", b"\x1b[2J\x1b[H"] {
        assert_eq!(decode_output(&[], input), "");
    }
    for (name, reason) in [("no-such-file", "no such file"), ("/", "this is a directory")] {
        let output = run_decode(&[name], b"");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(
            errors.starts_with("error: ") && errors.contains(reason) && errors.contains("hint: "),
            "{errors}"
        );
    }
}

#[test]
fn an_invalid_command_line_exits_with_status_2() {
    for arguments in [["--chunk", "0"], ["--role", "king"], ["--key", "two words"], ["--keys", "maybe"]] {
        assert_eq!(run_decode(&arguments, b"").status.code(), Some(2), "{arguments:?}");
    }
}
