//! Reads a configuration file as a layer.

use std::collections::BTreeSet;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{
    files::FILE_BYTES_MAX,
    key::{PathKind, path_kind},
    layer::Layer,
    location::{LineIndex, ValueLocation},
    origin::Origin,
    problem_text::{ProblemHint, ProblemMessage},
    raw_value::RawValue,
};

/// Walks the tables of a parsed file.
struct FileReader<'a> {
    lines: &'a LineIndex<'a>,
    /// Lines with a syntax error; their keys are skipped because the parser guessed them.
    broken: BTreeSet<usize>,
}

impl Layer<'_> {
    /// Reads all keys of a file.
    pub(crate) fn read_file(&mut self, name: &str, bytes: &[u8]) {
        let whole = Origin::File { name: name.to_owned(), at: None };
        let report = |layer: &mut Self, message: ProblemMessage, hint: ProblemHint| {
            layer.problems.push_error(|| whole.clone(), || (message, Some(hint)));
        };
        if bytes.len() > FILE_BYTES_MAX {
            let message = ProblemMessage::FileTooLarge { max_kib: FILE_BYTES_MAX / 1024 };
            return report(self, message, ProblemHint::CheckFile);
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return report(self, ProblemMessage::NotUtf8, ProblemHint::SaveAsUtf8);
        };
        let lines = LineIndex::new(name, text);
        let (table, errors) = DeTable::parse_recoverable(lines.text());
        let mut broken = BTreeSet::new();
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            // Report one syntax error per line; the others usually follow from it.
            if broken.insert(lines.line(span.start)) {
                let message = || ProblemMessage::Syntax { message: error.message().to_owned() };
                self.problems.push_error(|| lines.origin(span), || (message(), None));
            }
        }
        let reader = FileReader { lines: &lines, broken };
        reader.read_table(self, &[], table.get_ref());
    }
}

impl FileReader<'_> {
    fn read_table(&self, layer: &mut Layer<'_>, parent: &[String], table: &DeTable<'_>) {
        for (key, value) in table {
            if self.broken.contains(&self.lines.line(key.span().start)) {
                continue;
            }
            let path = [parent, &[key.get_ref().to_string()]].concat();
            self.read_value(layer, path, ValueLocation::File(self.lines, key.span()), value);
        }
    }

    fn read_value(
        &self,
        layer: &mut Layer<'_>,
        path: Vec<String>,
        location: ValueLocation<'_>,
        value: &Spanned<DeValue<'_>>,
    ) {
        match (value.get_ref(), path_kind(&path)) {
            // The keys of a table are read one by one; an empty agent table still registers its agent.
            (DeValue::Table(table), PathKind::Table) => {
                if layer.register_agent(&path, &location) {
                    self.read_table(layer, &path, table);
                }
            }
            _ => layer.set(path, RawValue::Toml(value), &location),
        }
    }
}
