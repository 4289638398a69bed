//! The lines after `=== PHASE N COMPLETE ===`.

use domain::{PhaseComplete, PhaseNumber};

use crate::{assemble::BODY_BYTES_MAX, list};

/// A phase marker and its details so far.
#[derive(Debug)]
pub(crate) struct PhaseMarker {
    message: PhaseComplete,
    in_documents: bool,
    blank_lines: usize,
    bytes: usize,
}

impl PhaseMarker {
    pub(crate) fn new(phase: PhaseNumber) -> Self {
        let message = PhaseComplete { phase, name: None, documents: Vec::new() };
        Self { message, in_documents: false, blank_lines: 0, bytes: 0 }
    }

    /// Appends a line of the details; returns `false` for any other line and for the second blank one.
    pub(crate) fn accept_line(&mut self, line: &str) -> bool {
        let text = line.trim();
        if text.is_empty() {
            self.blank_lines += 1;
            return self.blank_lines < 2;
        }
        if let Some(name) = value_of_key(text, &["phase", "단계"])
            && self.message.name.is_none()
        {
            self.message.name = Some(name.to_owned()).filter(|name| !name.is_empty());
            self.in_documents = false;
        } else if let Some(documents) = value_of_key(text, &["documents created", "문서"])
            && !self.in_documents
        {
            self.in_documents = true;
            if !self.is_too_long() {
                self.message.documents.extend(list::parse_list(documents).unwrap_or_default());
            }
        } else if let Some(document) = list::text_after_bullet(text)
            && self.in_documents
        {
            if !document.is_empty() && !self.is_too_long() {
                self.message.documents.push(list::unquote(document));
            }
        } else {
            return false;
        }
        self.bytes += text.len();
        true
    }

    /// Returns whether the details exceed the limit of a body.
    pub(crate) fn is_too_long(&self) -> bool {
        self.bytes > BODY_BYTES_MAX
    }

    pub(crate) fn finish(self) -> PhaseComplete {
        self.message
    }
}

/// Returns the value of a `key: value` line whose key is one of `keys`.
fn value_of_key<'t>(line: &'t str, keys: &[&str]) -> Option<&'t str> {
    let (key, value) = line.split_once([':', '：'])?;
    keys.iter().any(|known| known.eq_ignore_ascii_case(key.trim())).then(|| value.trim())
}
