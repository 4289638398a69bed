//! Compares the crate table with the workspace: no crate is missing, and none has a dependency that the table forbids.

use super::{Complaint, metadata::Workspace, table::Row};

/// Returns a complaint for every difference between the table and the workspace.
pub(super) fn check(rows: &[Row], workspace: &Workspace) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let known = |name: &str| rows.iter().any(|row| row.name == name);
    for (n, row) in rows.iter().enumerate() {
        for name in row.may_use.iter().filter(|name| !known(name)) {
            complaints.push(Complaint::new(
                "ARCHITECTURE.md",
                format!("{} may use {name}, which has no row", row.name),
                "name crates of the table, `–`, `all` or `the above`",
            ));
        }
        if rows.iter().take(n).any(|earlier| earlier.name == row.name) {
            complaints.push(Complaint::new(
                "ARCHITECTURE.md",
                format!("{} has two rows", row.name),
                "one crate, one row: a planned one moves to the first table when it exists",
            ));
        }
        let exists = workspace.crates.iter().any(|found| found.is_product() && found.name == row.name);
        match (exists, row.planned) {
            (true, false) | (false, true) => {}
            (false, false) => complaints.push(Complaint::new(
                "ARCHITECTURE.md",
                format!("has a row for {}, but crates/{} does not exist", row.name, row.name),
                "move the row below the heading \"Planned\", or delete it",
            )),
            (true, true) => complaints.push(Complaint::new(
                "ARCHITECTURE.md",
                format!("{} is planned, but exists", row.name),
                "move its row to the table of crates that exist",
            )),
        }
    }
    for found in workspace.crates.iter().filter(|found| found.is_product()) {
        let Some(row) = rows.iter().find(|row| row.name == found.name) else {
            complaints.push(Complaint::new(
                &found.folder,
                "has no row in the crate table of ARCHITECTURE.md",
                "add a row: what the crate is, what it may use, what it never contains",
            ));
            continue;
        };
        let ours = workspace.crates.iter().map(|other| &other.name).filter(|name| found.uses.contains(*name));
        for name in ours.filter(|name| !row.may_use.contains(name)) {
            complaints.push(Complaint::new(
                format!("{}/Cargo.toml", found.folder),
                format!("{} must not use {name}", found.name),
                "remove the dependency, or add a decision in docs/decisions/ and the name in ARCHITECTURE.md",
            ));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{
        super::{metadata::Crate, tests::assert_complaints},
        *,
    };

    fn row(name: &str, may_use: &[&str], planned: bool) -> Row {
        Row {
            name: name.to_owned(),
            may_use: may_use.iter().map(|name| (*name).to_owned()).collect(),
            planned,
        }
    }

    fn crate_of(folder: &str, uses: &[&str]) -> Crate {
        let name = folder.rsplit('/').next().unwrap().to_owned();
        let uses: BTreeSet<String> = uses.iter().map(|name| (*name).to_owned()).collect();
        Crate { name, folder: folder.to_owned(), tree: uses.clone(), uses }
    }

    fn check_crates(rows: &[Row], crates: Vec<Crate>, expected: &[&str]) {
        assert_complaints(&check(rows, &Workspace { crates }), expected);
    }

    #[test]
    fn a_workspace_that_matches_the_table_passes() {
        let rows = [
            row("domain", &[], false),
            row("protocol", &["domain"], false),
            row("engine", &["domain"], true),
        ];
        let crates = vec![
            crate_of("crates/domain", &["serde"]),
            crate_of("crates/protocol", &["domain", "memchr"]),
            crate_of("dev/xtask", &["clap"]),
        ];
        check_crates(&rows, crates, &[]);
    }

    #[test]
    fn a_dependency_that_is_not_in_the_table_is_refused() {
        let rows = [row("domain", &[], false), row("protocol", &["domain"], false)];
        let crates = vec![
            crate_of("crates/domain", &["protocol"]),
            crate_of("crates/protocol", &["testkit"]),
            crate_of("dev/testkit", &[]),
        ];
        let expected = [
            "crates/domain/Cargo.toml: domain must not use protocol",
            "crates/protocol/Cargo.toml: protocol must not use testkit",
        ];
        check_crates(&rows, crates, &expected);
    }

    #[test]
    fn crates_and_rows_need_each_other() {
        let rows = [row("domain", &[], false), row("engine", &["brain"], false), row("protocol", &[], true)];
        let crates = vec![
            crate_of("crates/domain", &[]),
            crate_of("crates/plan", &[]),
            crate_of("crates/protocol", &[]),
        ];
        let expected = [
            "ARCHITECTURE.md: engine may use brain, which has no row",
            "ARCHITECTURE.md: has a row for engine, but crates/engine does not exist",
            "ARCHITECTURE.md: protocol is planned, but exists",
            "crates/plan: has no row in the crate table of ARCHITECTURE.md",
        ];
        check_crates(&rows, crates, &expected);
    }
}
