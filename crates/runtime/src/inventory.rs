//! Compares the runs, the sessions and the log of a data directory, and finds runs that are damaged.
//!
//! Only reads. Damage is reported with its cause and what the user can do; nothing is repaired by guessing.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use domain::{Locale, RunId, Sequence};
use serde::{Deserialize, Serialize};
use store::RunHead;

use crate::{RunEnvironment, error_chain::error_chain};

/// File in the folder of a run with the number of its last event. Shows that the log was shortened.
const LAST_EVENT_FILE: &str = "last-event";

/// A run that cannot be continued, or not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DamagedRun {
    /// Id of the run.
    pub run: RunId,
    /// What is wrong.
    pub damage: RunDamage,
    /// Sessions of the run that are in the data directory; their agents may still run.
    pub sessions: Vec<String>,
}

/// What is wrong with a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum RunDamage {
    /// The log has no event of it.
    EventsMissing,
    /// The log has fewer events than were recorded.
    EventsLost {
        /// Number of the last event in the log.
        last: u64,
        /// Number of the last event that was recorded.
        recorded: u64,
    },
    /// Its events cannot be read.
    EventsUnreadable {
        /// Message of the error and its causes.
        reason: String,
    },
    /// Its folder, or the description of its environment, is missing or cannot be read.
    EnvironmentUnreadable {
        /// Message of the error and its causes.
        reason: String,
    },
}

impl DamagedRun {
    /// Describes what is wrong.
    pub fn cause(&self, locale: Locale) -> String {
        match (&self.damage, locale) {
            (RunDamage::EventsMissing, Locale::En) => "the event log has nothing of this run".to_owned(),
            (RunDamage::EventsMissing, Locale::Ko) => "이벤트 로그에 이 실행의 기록이 없음".to_owned(),
            (RunDamage::EventsLost { last, recorded }, Locale::En) => {
                format!("the event log ends at event {last}, but event {recorded} was recorded")
            }
            (RunDamage::EventsLost { last, recorded }, Locale::Ko) => {
                format!("이벤트 {recorded}까지 기록했으나 로그는 이벤트 {last}에서 끝남")
            }
            (RunDamage::EventsUnreadable { reason }, Locale::En) => {
                format!("its events cannot be read: {reason}")
            }
            (RunDamage::EventsUnreadable { reason }, Locale::Ko) => {
                format!("이벤트를 읽을 수 없음: {reason}")
            }
            (RunDamage::EnvironmentUnreadable { reason }, Locale::En) => {
                format!("the description of its environment cannot be read: {reason}")
            }
            (RunDamage::EnvironmentUnreadable { reason }, Locale::Ko) => {
                format!("실행 환경 정보를 읽을 수 없음: {reason}")
            }
        }
    }

    /// Describes what the user can do. `data` is the data directory.
    pub fn remedy(&self, data: &Path, locale: Locale) -> String {
        let Self { run, damage, sessions } = self;
        let folder = data.join("runs").join(run.as_str());
        let folder = folder.display();
        let stop = sessions.first().map(|session| match locale {
            Locale::En => format!(" Agents may still run: jangdan session stop {session}"),
            Locale::Ko => format!(" 에이전트가 아직 실행 중일 수 있습니다: jangdan session stop {session}"),
        });
        let remedy = match (damage, locale) {
            (RunDamage::EventsMissing | RunDamage::EventsUnreadable { .. }, Locale::En) => format!(
                "Restore log.sqlite3 from a backup, or start the plan again; merged work is on the branch jangdan/{run}/run. To forget the run, remove {folder}."
            ),
            (RunDamage::EventsMissing | RunDamage::EventsUnreadable { .. }, Locale::Ko) => format!(
                "백업에서 log.sqlite3 파일을 복원하거나 계획을 다시 시작하세요. 병합된 작업은 jangdan/{run}/run 브랜치에 있습니다. 이 실행을 지우려면 {folder} 폴더를 삭제하세요."
            ),
            (RunDamage::EventsLost { .. }, Locale::En) => format!(
                "Restore log.sqlite3 from a backup. To continue from the older state instead, remove {folder}/{LAST_EVENT_FILE}, then restart the server."
            ),
            (RunDamage::EventsLost { .. }, Locale::Ko) => format!(
                "백업에서 log.sqlite3 파일을 복원하세요. 이전 상태에서 계속하려면 {folder}/{LAST_EVENT_FILE} 파일을 삭제한 뒤 서버를 다시 시작하세요."
            ),
            (RunDamage::EnvironmentUnreadable { .. }, Locale::En) => format!(
                "Restore {folder} from a backup, or start the plan again; merged work is on the branch jangdan/{run}/run. The history stays readable: jangdan replay {run}"
            ),
            (RunDamage::EnvironmentUnreadable { .. }, Locale::Ko) => format!(
                "백업에서 {folder} 폴더를 복원하거나 계획을 다시 시작하세요. 병합된 작업은 jangdan/{run}/run 브랜치에 있습니다. 기록은 계속 볼 수 있습니다: jangdan replay {run}"
            ),
        };
        remedy + &stop.unwrap_or_default()
    }
}

/// Finds the damaged runs of a data directory. `read_error` returns why the events of a run cannot be read.
pub fn find_damaged_runs(
    data: &Path,
    heads: &[RunHead],
    read_error: impl Fn(&RunId) -> Option<String>,
) -> Vec<DamagedRun> {
    let mut sessions = sessions_by_run(data);
    let in_log: BTreeSet<&RunId> = heads.iter().map(|head| &head.run).collect();
    let mut damaged: Vec<(RunId, RunDamage)> = Vec::new();
    for head in heads {
        let damage = examine(data, head)
            .or_else(|| read_error(&head.run).map(|reason| RunDamage::EventsUnreadable { reason }));
        damaged.extend(damage.map(|damage| (head.run.clone(), damage)));
    }
    let with_traces: BTreeSet<RunId> =
        runs_with_folders(data).into_iter().chain(sessions.keys().cloned()).collect();
    let missing = with_traces.into_iter().filter(|run| !in_log.contains(run));
    damaged.extend(missing.map(|run| (run, RunDamage::EventsMissing)));
    let to_damaged_run = |(run, damage): (RunId, RunDamage)| {
        let sessions = sessions.remove(&run).unwrap_or_default();
        DamagedRun { run, damage, sessions }
    };
    damaged.into_iter().map(to_damaged_run).collect()
}

/// Returns the damage of a run that its folder shows.
fn examine(data: &Path, head: &RunHead) -> Option<RunDamage> {
    if head.sequence.0 == 0 {
        return Some(RunDamage::EventsMissing);
    }
    let folder = data.join("runs").join(head.run.as_str());
    if let Err(error) = RunEnvironment::read(&folder) {
        return Some(RunDamage::EnvironmentUnreadable { reason: error_chain(&error) });
    }
    let recorded = recorded_last_event(&folder).filter(|recorded| *recorded > head.sequence)?;
    Some(RunDamage::EventsLost { last: head.sequence.0, recorded: recorded.0 })
}

/// Returns the number of the last event that is known to be recorded.
pub(crate) fn recorded_last_event(folder: &Path) -> Option<Sequence> {
    fs::read_to_string(folder.join(LAST_EVENT_FILE)).ok()?.trim().parse().ok().map(Sequence)
}

/// Notes that the log has this event. The file may lag behind; it never names an event that is not durable.
///
/// Not synchronized: a file that a power failure leaves empty is ignored.
pub(crate) fn note_last_event(folder: &Path, last: Sequence) -> std::io::Result<()> {
    fs::write(folder.join(LAST_EVENT_FILE), last.0.to_string())
}

fn runs_with_folders(data: &Path) -> Vec<RunId> {
    let folders = fs::read_dir(data.join("runs")).into_iter().flatten().flatten();
    folders.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Returns the names of the sessions of runs. `jangdan session` names its own differently.
fn sessions_by_run(data: &Path) -> BTreeMap<RunId, Vec<String>> {
    let mut by_run: BTreeMap<RunId, Vec<String>> = BTreeMap::new();
    let folders = fs::read_dir(data.join("sessions")).into_iter().flatten().flatten();
    for name in folders.filter_map(|entry| entry.file_name().into_string().ok()) {
        let run = name.split_once("-s_").and_then(|(run, _)| run.parse().ok());
        if let Some(run) = run {
            by_run.entry(run).or_default().push(name);
        }
    }
    by_run.values_mut().for_each(|names| names.sort());
    by_run
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_trace_of_a_run_without_events_is_found() {
        let data = tempfile::tempdir().unwrap();
        for folder in ["runs/r1", "runs/r2", "sessions/r3-s_1-1", "sessions/bash-1"] {
            fs::create_dir_all(data.path().join(folder)).unwrap();
        }
        let heads = [RunHead { run: "r1".parse().unwrap(), sequence: Sequence(4) }];
        let damaged = find_damaged_runs(data.path(), &heads, |_| None);
        let found: Vec<_> = damaged
            .iter()
            .map(|damaged| (damaged.run.as_str(), damaged.damage == RunDamage::EventsMissing))
            .collect();
        assert_eq!(found, [("r1", false), ("r2", true), ("r3", true)], "{damaged:?}");
        assert_eq!(damaged[2].sessions, ["r3-s_1-1"]);
        for locale in [Locale::En, Locale::Ko] {
            for run in &damaged {
                assert!(!run.cause(locale).is_empty() && run.remedy(data.path(), locale).contains("jangdan"));
            }
        }
    }
}
