//! One file of the configuration, read from end to end.

use std::collections::BTreeSet;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{
    files::FILE_BYTES_MAX,
    given::Given,
    key::{Look, look},
    layer::Layer,
    origin::Origin,
    place::{Places, Spot},
};

/// A file that is being read.
struct Walk<'a> {
    places: &'a Places<'a>,
    /// Lines that are broken anyway: what is read there is a guess.
    broken: BTreeSet<usize>,
}

impl Layer<'_> {
    /// Takes all that a file says.
    pub(crate) fn take_file(&mut self, name: &str, bytes: &[u8]) {
        let whole = Origin::File { name: name.to_owned(), at: None };
        let complain = |layer: &mut Self, message: String, hint: &str| {
            layer.problems.error(|| whole.clone(), || (message, Some(hint.to_owned())));
        };
        if bytes.len() > FILE_BYTES_MAX {
            let message = format!("the file is larger than {} KiB", FILE_BYTES_MAX / 1024);
            return complain(self, message, "check that it is the file you meant");
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return complain(self, "the file is not UTF-8 text".to_owned(), "save it as UTF-8");
        };
        let places = Places::new(name, text);
        let (table, errors) = DeTable::parse_recoverable(places.text());
        let mut broken = BTreeSet::new();
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            // What follows from a mistake on the same line is no mistake of its own.
            if broken.insert(places.line(span.start)) {
                self.problems.error(|| places.origin(span), || (error.message().to_owned(), None));
            }
        }
        let walk = Walk { places: &places, broken };
        walk.table(self, &[], table.get_ref());
    }
}

impl Walk<'_> {
    fn table(&self, layer: &mut Layer<'_>, parent: &[String], table: &DeTable<'_>) {
        for (key, value) in table {
            if self.broken.contains(&self.places.line(key.span().start)) {
                continue;
            }
            let path = [parent, &[key.get_ref().to_string()]].concat();
            self.value(layer, path, Spot::File(self.places, key.span()), value);
        }
    }

    fn value(&self, layer: &mut Layer<'_>, path: Vec<String>, spot: Spot<'_>, value: &Spanned<DeValue<'_>>) {
        match (value.get_ref(), look(&path)) {
            // A table has its keys read one by one, also where it has none.
            (DeValue::Table(table), Look::Table) => {
                if layer.meets_agent(&path, &spot) {
                    self.table(layer, &path, table);
                }
            }
            _ => layer.take(path, Given::Toml(value), &spot),
        }
    }
}
