//! What held, for each agent and driver, as a table for people.

/// Whether a check held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// It did.
    Yes,
    /// It did not.
    No,
    /// It can't, for this reason.
    Lacks(&'static str),
}

/// An agent and a driver.
pub struct Row {
    /// Which.
    pub name: String,
    /// What was checked, and whether it held.
    pub held: Vec<(&'static str, Held)>,
}

impl Row {
    /// Returns how many checks did not hold.
    pub fn n_failed(&self) -> usize {
        self.held.iter().filter(|(_, held)| *held == Held::No).count()
    }
}

/// Prints all rows, and below them why something can't be.
pub fn print(rows: &[Row]) {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    println!();
    for row in rows {
        let cells: Vec<String> = row
            .held
            .iter()
            .map(|(check, held)| match held {
                Held::Yes => format!("{check} ✓"),
                Held::No => format!("{check} ✗"),
                Held::Lacks(_) => format!("{check} –"),
            })
            .collect();
        println!("{:width$}  {}", row.name, cells.join("  "));
    }
    println!();
    for row in rows {
        for (check, held) in &row.held {
            if let Held::Lacks(reason) = held {
                println!("{}: no {check}: {reason}", row.name);
            }
        }
    }
}
