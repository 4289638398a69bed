//! Outputs and report files of real tools, and what is read from them. A new case is a new file in `outputs/`.

#![expect(clippy::disallowed_methods, reason = "the outputs are files")]

use std::fs;

/// The directory in which the tools ran.
const DIRECTORY: &str = "/home/dev/till";

#[test]
fn outputs_of_real_tools_are_read() {
    insta::glob!("outputs/*", |path| {
        let content = fs::read(path).unwrap();
        let is_file = path.extension().is_some_and(|extension| extension == "xml");
        let report = match is_file {
            true => test_reports::parse_report_file(&content, DIRECTORY),
            false => test_reports::parse_output(&content, DIRECTORY),
        };
        let text = report
            .map_or_else(|| "no report".to_owned(), |report| serde_json::to_string_pretty(&report).unwrap());
        insta::assert_snapshot!(text);
    });
}
