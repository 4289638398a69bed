//! The bench harness: variants in turns, medians, ratios with goals, one report.
//!
//! Compared variants run in the same process and in the same rounds, so that a busy machine slows all of them.

use std::{
    convert::Infallible,
    fmt,
    hint::black_box,
    time::{Duration, Instant},
};

use serde::{Serialize, Serializer};

use crate::progress;

/// The minimum number of rounds for a median.
pub const ROUNDS_MIN: usize = 5;

/// One of the compared variants.
pub struct Variant<'a> {
    /// Its name in the figures.
    pub name: &'static str,
    /// Does the work once and returns a number that depends on all of it, so that nothing is optimised away.
    pub run: Box<dyn FnMut() -> u64 + 'a>,
}

impl<'a> Variant<'a> {
    /// Creates a variant from its name and its work.
    pub fn new(name: &'static str, run: impl FnMut() -> u64 + 'a) -> Self {
        Self { name, run: Box::new(run) }
    }
}

/// Runs all variants in turns: once to warm up, then `rounds` times; each round begins with another one.
pub fn measure_variants(rounds: usize, mut variants: Vec<Variant<'_>>) -> Timings {
    let names = variants.iter().map(|variant| variant.name).collect::<Vec<_>>();
    let Ok(times) = run_named_variants_in_turns(rounds, &names, |n| {
        let start = Instant::now();
        black_box((variants[n].run)());
        Ok::<_, Infallible>(start.elapsed())
    });
    Timings::new(names.into_iter().zip(times).collect())
}

/// Lets variants take turns like [`measure_variants`], for work that cannot be timed from its first to its last line.
///
/// `run` gets the index of a name. Returns the results of each variant in each round, without the warm-up round.
pub fn run_named_variants_in_turns<T, E>(
    rounds: usize,
    names: &[&str],
    mut run: impl FnMut(usize) -> Result<T, E>,
) -> Result<Vec<Vec<T>>, E> {
    let rounds = rounds.max(ROUNDS_MIN);
    let mut results: Vec<Vec<T>> = names.iter().map(|_| Vec::with_capacity(rounds)).collect();
    for round in 0..=rounds {
        for turn in 0..names.len() {
            let n = (turn + round) % names.len();
            progress::begin(format!("{}, round {round} of {rounds}", names[n]));
            let result = run(n)?;
            if round > 0 {
                results[n].push(result);
            }
        }
    }
    Ok(results)
}

/// Like [`run_named_variants_in_turns`], with numbers for names.
pub fn run_variants_in_turns<T, E>(
    rounds: usize,
    n_variants: usize,
    run: impl FnMut(usize) -> Result<T, E>,
) -> Result<Vec<Vec<T>>, E> {
    let names: Vec<String> = (1..=n_variants).map(|number| format!("variant {number}")).collect();
    run_named_variants_in_turns(rounds, &names.iter().map(String::as_str).collect::<Vec<_>>(), run)
}

/// The time of each variant in each round.
pub struct Timings {
    /// Number of rounds, without the warm-up round.
    pub rounds: usize,
    times: Vec<(&'static str, Vec<Duration>)>,
}

impl Timings {
    /// Creates timings from the times of each variant, one for each round.
    pub fn new(times: Vec<(&'static str, Vec<Duration>)>) -> Self {
        let rounds = times.iter().map(|(_, times)| times.len()).min().unwrap_or(0);
        Self { rounds, times }
    }

    /// Returns the median of a variant's times, in seconds.
    pub fn median_seconds(&self, name: &str) -> f64 {
        median(self.times_of(name).iter().map(Duration::as_secs_f64).collect())
    }

    /// Returns how many times longer one variant took than another: the median of the ratios of all rounds.
    pub fn times_longer(&self, name: &str, than: &str) -> f64 {
        let pairs = self.times_of(name).iter().zip(self.times_of(than));
        median(pairs.map(|(time, other)| time.as_secs_f64() / other.as_secs_f64()).collect())
    }

    fn times_of(&self, name: &str) -> &[Duration] {
        self.times.iter().find(|(own, _)| *own == name).map_or(&[], |(_, times)| times)
    }
}

/// Returns the median, or not-a-number if there are no numbers.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match (numbers.get(middle), numbers.len() % 2) {
        (None, _) => f64::NAN,
        (Some(number), 1) => *number,
        (Some(number), _) => (numbers[middle - 1] + number) / 2.0,
    }
}

/// A bound that a value must keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// This value or more.
    AtLeast(f64),
    /// This value or less.
    AtMost(f64),
}

impl Goal {
    /// Tells whether a value reaches the goal; not-a-number does not.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::AtLeast(least) => value >= least,
            Self::AtMost(most) => value <= most,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, number) = match self {
            Self::AtLeast(least) => (">=", least),
            Self::AtMost(most) => ("<=", most),
        };
        f.pad(&format!("{sign} {number}"))
    }
}

/// A value with its goal. Absolute values with a goal are ratios too.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ratio {
    /// The two things that are compared.
    pub name: String,
    /// The measured value, rounded.
    pub value: f64,
    /// The bound for the value.
    #[serde(serialize_with = "serialize_goal")]
    pub goal: Goal,
    /// Whether the value reaches the goal.
    pub holds: bool,
}

/// The result of a bench.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Name of the bench.
    pub name: &'static str,
    /// Number of rounds, without the warm-up round.
    pub rounds: usize,
    /// Values with goals.
    pub ratios: Vec<Ratio>,
    /// Values without goals.
    #[serde(serialize_with = "serialize_pairs_as_map")]
    pub figures: Vec<(String, f64)>,
    /// Facts about what was measured, e.g. how it was built.
    #[serde(serialize_with = "serialize_pairs_as_map", skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<(String, String)>,
}

impl Report {
    /// Creates an empty report.
    pub fn new(name: &'static str, rounds: usize) -> Self {
        Self { name, rounds, ratios: Vec::new(), figures: Vec::new(), notes: Vec::new() }
    }

    /// Adds a value with a goal.
    pub fn add_ratio(&mut self, name: &str, value: f64, goal: Goal) {
        self.ratios.push(Ratio {
            name: name.to_owned(),
            value: rounded(value),
            goal,
            holds: goal.holds(value),
        });
    }

    /// Adds a value without a goal.
    pub fn add_figure(&mut self, name: &str, value: f64) {
        self.figures.push((name.to_owned(), rounded(value)));
    }

    /// Adds a fact about what was measured.
    pub fn add_note(&mut self, name: &str, text: &str) {
        self.notes.push((name.to_owned(), text.to_owned()));
    }

    /// Tells whether every goal is reached.
    pub fn are_goals_reached(&self) -> bool {
        self.ratios.iter().all(|ratio| ratio.holds)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.ratios.iter().map(|ratio| &ratio.name);
        let names = names.chain(self.figures.iter().map(|(name, _)| name));
        let names = names.chain(self.notes.iter().map(|(name, _)| name));
        let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
        writeln!(f, "{}, {} rounds, medians", self.name, self.rounds)?;
        for Ratio { name, value, goal, holds } in &self.ratios {
            let verdict = if *holds { "holds" } else { "DOES NOT HOLD" };
            writeln!(f, "  {name:width$}  {value:>12.3}  goal {goal:<8}  {verdict}")?;
        }
        for (name, value) in &self.figures {
            writeln!(f, "  {name:width$}  {value:>12.3}")?;
        }
        for (name, text) in &self.notes {
            writeln!(f, "  {name:width$}  {text}")?;
        }
        Ok(())
    }
}

/// Rounds to four decimal places, more than any measurement is accurate to.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

fn serialize_goal<S: Serializer>(goal: &Goal, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(goal)
}

fn serialize_pairs_as_map<T: Serialize, S: Serializer>(
    pairs: &[(String, T)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn the_median_of_an_even_count_lies_between_two() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn variants_take_turns_and_the_first_round_only_warms_up() {
        let order = RefCell::new(String::new());
        let variant = |name: &'static str| {
            let order = &order;
            Variant::new(name, move || {
                order.borrow_mut().push_str(name);
                1
            })
        };
        let timings = measure_variants(1, vec![variant("a"), variant("b")]);
        assert_eq!((timings.rounds, timings.times_of("a").len()), (ROUNDS_MIN, ROUNDS_MIN));
        assert_eq!(*order.borrow(), "abbaabbaabba");
    }

    #[test]
    fn the_json_report_has_a_fixed_form() {
        let mut report = Report::new("wire", 5);
        report.add_ratio("decoder/memchr3", 0.71, Goal::AtLeast(0.6));
        report.add_ratio("peak memory MiB", 4.5, Goal::AtMost(4.0));
        report.add_figure("messages", 3355.0);
        let expected = concat!(
            r#"{"name":"wire","rounds":5,"ratios":["#,
            r#"{"name":"decoder/memchr3","value":0.71,"goal":">= 0.6","holds":true},"#,
            r#"{"name":"peak memory MiB","value":4.5,"goal":"<= 4","holds":false}],"#,
            r#""figures":{"messages":3355.0}}"#,
        );
        assert_eq!(serde_json::to_string(&report).unwrap(), expected);
        assert!(!report.are_goals_reached());
        report.add_note("holder", "musl");
        let noted = expected.replace("3355.0}}", r#"3355.0},"notes":{"holder":"musl"}}"#);
        assert_eq!(serde_json::to_string(&report).unwrap(), noted);
        assert!(report.to_string().ends_with("holder           musl\n"), "{report}");
    }

    #[test]
    fn not_a_number_reaches_no_goal() {
        assert!(!Goal::AtLeast(0.0).holds(f64::NAN) && !Goal::AtMost(9.0).holds(f64::NAN));
    }
}
