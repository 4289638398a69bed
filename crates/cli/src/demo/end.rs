//! What is left when the demo is over: the shop's branch has the till, and the till is tried.

use std::{
    io::{self, Write},
    path::Path,
    process::{Command as Program, Stdio},
};

use domain::{Locale, RunId};
use runtime::Landed;
use server::Client;

use super::set_up::Demo;
use crate::{
    failure::{Failure, say_hint},
    remote,
    screen::words::pick,
    watch::Outcome,
};

/// What the till is asked for when it is there.
const SALE: &str = "sell sencha 10 scone 1";

/// Brings what was merged onto the shop's branch.
pub fn land(client: &Client, run: &RunId) -> Result<(), Failure> {
    let landed: Result<Landed, _> = client.post(&format!("/api/runs/{run}/land"), &());
    landed.map(drop).map_err(|error| remote::failure(&error))
}

/// Sells something with the till that was built.
pub fn show(demo: &Demo, locale: Locale) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure {
        what: format!("try the till in {}: {error}", demo.shop.display()),
        hint: None,
        exit: 1,
    };
    let mut program = Program::new("sh");
    let program = program.arg("till").args(SALE.split(' ')).current_dir(&demo.shop).stdin(Stdio::null());
    let output = program.output().map_err(failed)?;
    let lead = pick(locale, "And this is what was built", "만들어진 것을 써 봅니다");
    let printed = String::from_utf8_lossy(&output.stdout);
    // With standard output gone there is nobody left to show it to.
    let _ = writeln!(io::stdout().lock(), "\n{lead}: sh till {SALE}\n\n{}", printed.trim_end());
    Ok(())
}

/// Says where everything is, or how it could be kept.
pub fn say_where(demo: &Demo, locale: Locale, outcome: Outcome, is_kept: bool) {
    let hint = match (is_kept, outcome) {
        (true, Outcome::Left) => pick(
            locale,
            "the agents work on; come back to them: jangdan resume --data {data}",
            "에이전트는 계속 일합니다. 돌아오려면: jangdan resume --data {data}",
        ),
        (true, Outcome::Done | Outcome::Failed | Outcome::WaitsForPerson | Outcome::StopAgents) => pick(
            locale,
            "look around: git -C {shop} log --graph, jangdan replay --data {data} r",
            "둘러보기: git -C {shop} log --graph, jangdan replay --data {data} r",
        ),
        (false, _) => pick(
            locale,
            "all of it is gone again; --keep DIR keeps it. With a plan of your own: jangdan run",
            "모두 다시 지웠습니다. --keep DIR로 남길 수 있습니다. 내 계획으로는: jangdan run",
        ),
    };
    let shown = |path: &Path| path.display().to_string();
    say_hint(&hint.replace("{shop}", &shown(&demo.shop)).replace("{data}", &shown(&demo.data)));
}
