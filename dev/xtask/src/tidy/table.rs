//! Reads the crate tables of ARCHITECTURE.md.

use super::Complaint;

/// The header by which a crate table is recognised.
const COLUMNS: [&str; 4] = ["crate", "in one line", "may use", "never contains"];

/// A row of the crate table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub name: String,
    /// The crates that it may use.
    pub may_use: Vec<String>,
    /// Whether the row is below a heading that begins with "Planned".
    pub planned: bool,
}

/// Returns the rows in the order of the document, and a complaint for each row that cannot be parsed.
pub(super) fn parse(text: &str) -> (Vec<Row>, Vec<Complaint>) {
    let (mut rows, mut complaints) = (Vec::<Row>::new(), Vec::new());
    let (mut planned, mut inside) = (false, false);
    for (n, line) in text.lines().enumerate() {
        if let Some(heading) = line.strip_prefix('#') {
            planned = heading.trim_start_matches('#').trim().starts_with("Planned");
        }
        let Some(cells) = cells(line) else {
            inside = false;
            continue;
        };
        if cells == COLUMNS {
            inside = true;
        } else if inside && !is_separator(&cells) {
            let place = format!("ARCHITECTURE.md:{}", n + 1);
            match cells.as_slice() {
                [name, line, uses, never]
                    if [name, line, uses, never].iter().all(|cell| !cell.is_empty()) =>
                {
                    let may_use = parse_may_use(uses, &rows);
                    rows.push(Row { name: (*name).to_owned(), may_use, planned });
                }
                _ => complaints.push(Complaint::new(
                    place,
                    "a row of the crate table needs four cells that are not empty",
                    "write `–` if a crate may use none",
                )),
            }
        }
    }
    // "all" includes the rows below it, which are known only now.
    let everything: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
    for row in rows.iter_mut().filter(|row| row.may_use == ["all"]) {
        row.may_use = everything.iter().filter(|name| **name != row.name).cloned().collect();
    }
    if rows.is_empty() {
        complaints.push(Complaint::new(
            "ARCHITECTURE.md",
            "has no crate table",
            "its header is `| crate | in one line | may use | never contains |`",
        ));
    }
    (rows, complaints)
}

/// Splits a line of a table into its cells; `None` if the line is not part of a table.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(|cell| cell.trim().trim_matches('`')).collect())
}

/// Tells whether the cells are the dashes below a header.
fn is_separator(cells: &[&str]) -> bool {
    cells.iter().all(|cell| !cell.is_empty() && cell.bytes().all(|byte| matches!(byte, b'-' | b':')))
}

/// Parses the cell "may use": names, `–`, `all` or `the above`.
fn parse_may_use(cell: &str, above: &[Row]) -> Vec<String> {
    match cell {
        "–" | "-" => Vec::new(),
        "the above" => above.iter().map(|row| row.name.clone()).collect(),
        names => names.split([' ', ',']).filter(|name| !name.is_empty()).map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::assert_complaints, *};

    const TABLE: &str = "\
## Crates
| crate | in one line | may use | never contains |
|---|---|---|---|
| domain | ids | – | logic |
| protocol | messages | domain | IO |

### Planned
| crate | in one line | may use | never contains |
|---|---|---|---|
| runtime | the loop | the above | HTTP |
| cli | the binary | all | logic |
";

    fn format_rows(rows: &[Row]) -> Vec<String> {
        let line = |row: &Row| format!("{} {:?} planned={}", row.name, row.may_use, row.planned);
        rows.iter().map(line).collect()
    }

    #[test]
    fn rows_of_both_tables_are_parsed() {
        let (rows, complaints) = parse(TABLE);
        assert_complaints(&complaints, &[]);
        let expected = [
            r#"domain [] planned=false"#,
            r#"protocol ["domain"] planned=false"#,
            r#"runtime ["domain", "protocol"] planned=true"#,
            r#"cli ["domain", "protocol", "runtime"] planned=true"#,
        ];
        assert_eq!(format_rows(&rows), expected);
    }

    #[test]
    fn a_row_with_a_missing_cell_is_reported() {
        let (_, complaints) = parse(&TABLE.replace("| domain | IO |", "| domain |"));
        let problem = "a row of the crate table needs four cells that are not empty";
        assert_complaints(&complaints, &[&format!("ARCHITECTURE.md:5: {problem}")]);
    }

    #[test]
    fn a_document_without_the_table_is_reported() {
        assert_complaints(&parse("# Nothing\n| a | b |\n").1, &["ARCHITECTURE.md: has no crate table"]);
    }
}
