//! Whoever is cut off, wherever and however often, hears the same as one who never left.

use std::{
    collections::VecDeque,
    sync::{Arc, LazyLock},
};

use domain::{Actor, RunId, Timestamp};
use proptest::{collection::vec, prelude::*, sample::Index};
use runtime::{AgentActivity, CommandError, DurableRun, HostEvent};
use store::{Log, Position, SqliteLog};
use tempfile::TempDir;
use testkit::{
    run_loop::{start_command, success_reports},
    workloads::{GraphShape, generate},
};
use tokio::sync::{Semaphore, broadcast};

use super::{
    EARLY_MAX, EventStream, Feed, GAP_MAX, KEPT_BYTES_MAX, StreamContext, Wanted, end_of, follow,
    missed::Missed,
};
use crate::stop::Stop;

/// Two runs that were recorded in turns, and what was told about them.
struct Recorded {
    log: Arc<dyn Log>,
    told: Vec<Arc<HostEvent>>,
    end: Position,
    _folder: TempDir,
}

static RECORDED: LazyLock<Recorded> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let log: Arc<dyn Log> = Arc::new(SqliteLog::open(folder.path()).unwrap());
    let mut told = Vec::new();
    let mut open = |name: &str, seed| {
        let mut durable_run = DurableRun::open(Arc::clone(&log), name.parse().unwrap()).unwrap();
        let work = generate(GraphShape::Chains, 5, seed);
        let step = durable_run
            .execute(Timestamp(1), &Actor::Person("ana".to_owned()), start_command(&work, 2))
            .unwrap();
        tell(&mut told, &durable_run, step.events);
        (durable_run, VecDeque::from(step.effects))
    };
    let mut runs = [open("r1", 1), open("r2", 2)];
    for now in 2.. {
        let index = usize::from(now % 5 < 2);
        let (durable_run, orders) = &mut runs[index];
        if let Some((id, effect)) = orders.pop_front() {
            for (actor, command) in success_reports(id, effect) {
                match durable_run.execute(Timestamp(now), &actor, command) {
                    Ok(step) => {
                        orders.extend(step.effects);
                        tell(&mut told, durable_run, step.events);
                    }
                    Err(CommandError::Rejected(_)) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        }
        if runs.iter().all(|(_, orders)| orders.is_empty()) {
            break;
        }
    }
    let end = end_of(&*log).unwrap();
    Recorded { log, told, end, _folder: folder }
});

fn tell(told: &mut Vec<Arc<HostEvent>>, durable_run: &DurableRun, shown: Vec<runtime::AppliedEvent>) {
    told.extend(shown.into_iter().map(|event| {
        Arc::new(HostEvent::Recorded {
            run: durable_run.id().clone(),
            position: event.position,
            sequence: event.sequence,
            changes: event.changes,
        })
    }));
}

/// What the log has behind a place, as it is told.
fn expected(after: Position, only: Option<&RunId>) -> String {
    let mut missed = Missed::behind(Arc::clone(&RECORDED.log), after, only.cloned());
    let mut text = String::new();
    while let Some(page) = missed.next_page().unwrap() {
        page.iter().for_each(|frames| text.push_str(std::str::from_utf8(&frames.text).unwrap()));
    }
    text
}

fn end() -> Position {
    RECORDED.end
}

fn last_of(run: &str) -> Position {
    let is_its = |published: &&Arc<HostEvent>| matches!(&***published, HostEvent::Recorded { run: its, .. } if its.as_str() == run);
    match RECORDED.told.iter().rfind(is_its).map(|published| &**published) {
        Some(HostEvent::Recorded { position, .. }) => *position,
        _ => Position(0),
    }
}

/// A feed that is told about the log from a place on.
struct Told {
    feed: Arc<Feed>,
    news: broadcast::Sender<Arc<HostEvent>>,
    stop: Stop,
}

impl Told {
    fn from(head: Position, bytes_max: usize) -> Self {
        let (news, heard) = broadcast::channel(16);
        let feed = Arc::new(Feed::behind(head, bytes_max));
        tokio::spawn(follow(Arc::clone(&feed), Arc::clone(&RECORDED.log), heard));
        Self { feed, news, stop: Stop::new() }
    }

    fn stream(&self, after: Position, only: Option<RunId>) -> EventStream {
        let context = StreamContext {
            feed: Arc::clone(&self.feed),
            stage: self.stop.watch(),
            log: Arc::clone(&RECORDED.log),
            readers: Arc::new(Semaphore::new(1)),
            _permit: Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap(),
        };
        EventStream::new(context, Wanted { after, only, ..Wanted::default() })
    }
}

/// One who listens by the rules: what came behind the last id comes again, and so it is forgotten.
struct Hearer {
    last: Position,
    only: Option<RunId>,
    /// What was heard up to the last id.
    whole: String,
}

impl Hearer {
    /// Listens until the end of the log is there, or until so many bytes have come.
    async fn listen(&mut self, told: &Told, mut bytes_left: usize) {
        let mut stream = told.stream(self.last, self.only.clone());
        let mut half = String::new();
        while bytes_left > 0 && self.last < self.end() {
            let Some(piece) = stream.next().await else { break };
            assert_ne!(piece, ":\n\n", "nothing comes behind {}", self.last);
            let piece = &piece[..piece.len().min(bytes_left)];
            bytes_left -= piece.len();
            // Cut anywhere, also within a letter: only the last piece can be, and nothing comes behind it.
            half.push_str(&String::from_utf8_lossy(piece));
            half = self.keep(&half);
        }
    }

    /// Returns the last place that it will hear of.
    fn end(&self) -> Position {
        self.only.as_ref().map_or(end(), |run| last_of(run.as_str()))
    }

    /// Keeps what is whole, and returns what is not.
    fn keep(&mut self, heard: &str) -> String {
        let mut rest = heard;
        let mut half = String::new();
        while let Some((event, behind)) = rest.split_once("\n\n") {
            rest = behind;
            let id = event.lines().find_map(|line| line.strip_prefix("id: ")).map(|id| id.parse().unwrap());
            if !event.starts_with("retry:") {
                half.push_str(event);
                half.push_str("\n\n");
            }
            if let Some(id) = id {
                self.last = Position(id);
                self.whole.push_str(&std::mem::take(&mut half));
            }
        }
        half + rest
    }
}

/// How the news reaches the feed.
#[derive(Debug, Clone)]
struct Telling {
    /// Where the feed begins.
    head: Index,
    /// How far each piece of news is told too late.
    late_by: Vec<usize>,
    /// Which are never told.
    untold: Vec<bool>,
    /// Whether the feed gets a chance to hear between two.
    pause: Vec<bool>,
    bytes_max: usize,
}

fn telling() -> impl Strategy<Value = Telling> {
    let bytes_max = prop_oneof![Just(1), Just(20_000), Just(KEPT_BYTES_MAX)];
    (
        any::<Index>(),
        vec(0_usize..4, 1..50),
        vec(prop::bool::weighted(0.1), 1..50),
        vec(any::<bool>(), 1..50),
        bytes_max,
    )
        .prop_map(|(head, late_by, untold, pause, bytes_max)| Telling {
            head,
            late_by,
            untold,
            pause,
            bytes_max,
        })
}

/// Tells the news behind a place in some order.
async fn tell_all(news: &broadcast::Sender<Arc<HostEvent>>, telling: &Telling, head: Position) {
    let mut order: Vec<_> = RECORDED.told.iter().enumerate().collect();
    order.sort_by_key(|(index, _)| index + telling.late_by[index % telling.late_by.len()]);
    for (index, published) in order {
        let HostEvent::Recorded { position, .. } = &**published else { continue };
        let is_untold = telling.untold[index % telling.untold.len()] && *position < end();
        if *position > head && !is_untold {
            drop(news.send(Arc::clone(published)));
        }
        if telling.pause[index % telling.pause.len()] {
            tokio::task::yield_now().await;
        }
    }
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(work)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn one_who_is_cut_off_hears_the_same_as_one_who_never_left(
        telling in telling(),
        after: Index,
        only: bool,
        cuts in vec(0_usize..30_000, 0..6),
    ) {
        let n_entries = usize::try_from(end().0).unwrap();
        let head = Position(u64::try_from(telling.head.index(n_entries + 1)).unwrap());
        let after = Position(u64::try_from(after.index(n_entries + 1)).unwrap());
        let only: Option<RunId> = only.then(|| "r2".parse().unwrap());
        let whole = block_on(async {
            let told = Told::from(head, telling.bytes_max);
            let (news, how) = (told.news.clone(), telling.clone());
            tokio::spawn(async move { tell_all(&news, &how, head).await });
            let mut hearer = Hearer { last: after, only: only.clone(), whole: String::new() };
            for cut in cuts {
                hearer.listen(&told, cut).await;
            }
            // One who is too slow for the little that is kept is cut off by the server, and comes again too.
            while hearer.last < hearer.end() {
                hearer.listen(&told, usize::MAX).await;
            }
            hearer.whole
        });
        prop_assert_eq!(whole, expected(after, only.as_ref()));
    }
}

#[test]
fn what_is_seen_comes_at_once_and_without_an_id() {
    block_on(async {
        let told = Told::from(end(), KEPT_BYTES_MAX);
        let mut all = told.stream(end(), None);
        let mut other = told.stream(end(), Some("r2".parse().unwrap()));
        let activity = AgentActivity::Text { text: "one\ntwo".to_owned() };
        let seen =
            HostEvent::Activity { run: "r1".parse().unwrap(), session: domain::SessionId(7), activity };
        told.news.send(Arc::new(seen)).unwrap();
        assert_eq!(all.next().await.unwrap(), format!("retry: 1000\nid: {}\n\n", end()));
        let expected = "event: session.seen\ndata: {\"run\":\"r1\",\"session\":\"s_7\",\"what\":{\"type\":\"words\",\"text\":\"one\\ntwo\"}}\n\n";
        assert_eq!(all.next().await.unwrap(), expected);
        assert_eq!(other.next().await.unwrap(), format!("retry: 1000\nid: {}\n\n", end()));
        assert_eq!(other.next().await.unwrap(), ":\n\n", "only a word that keeps the line open");
    });
}

#[test]
fn one_who_is_too_slow_is_cut_off_and_one_who_comes_late_is_not() {
    block_on(async {
        let half = Position(end().0 / 2);
        let told = Told::from(half, 1);
        let mut slow = told.stream(half, None);
        assert!(slow.next().await.is_some(), "the beginning");
        for published in &RECORDED.told {
            told.news.send(Arc::clone(published)).unwrap();
            tokio::task::yield_now().await;
        }
        told.feed.watch().wait_for(|head| *head == end()).await.unwrap();
        assert_eq!(slow.next().await, None, "it is further behind than what is kept");
        let mut late = Hearer { last: half, only: None, whole: String::new() };
        late.listen(&told, usize::MAX).await;
        assert_eq!(late.whole, expected(half, None));
    });
}

#[test]
fn one_who_comes_late_goes_on_with_what_comes() {
    block_on(async {
        let told = Told::from(Position(0), 1);
        for published in &RECORDED.told {
            told.news.send(Arc::clone(published)).unwrap();
            tokio::task::yield_now().await;
        }
        told.feed.watch().wait_for(|head| *head == end()).await.unwrap();
        let mut late = told.stream(Position(0), None);
        let last = format!("id: {}\n", end());
        while !std::str::from_utf8(&late.next().await.unwrap()).unwrap().contains(&last) {}
        let activity = AgentActivity::Warning { text: "the model is busy".to_owned() };
        let seen =
            HostEvent::Activity { run: "r1".parse().unwrap(), session: domain::SessionId(7), activity };
        told.news.send(Arc::new(seen)).unwrap();
        assert!(late.next().await.unwrap().starts_with(b"event: session.seen\n"));
    });
}

#[test]
fn too_many_entries_behind_a_gap_are_dropped_and_the_log_is_read_at_once() {
    block_on(async {
        let told = Told::from(Position(0), KEPT_BYTES_MAX);
        let mut stream = told.stream(Position(0), None);
        assert!(stream.next().await.is_some(), "the beginning");
        let since = tokio::time::Instant::now();
        for number in 1..=u64::try_from(EARLY_MAX + 1).unwrap() {
            let early = HostEvent::Recorded {
                run: "r1".parse().unwrap(),
                position: Position(end().0 + 1 + number),
                sequence: domain::Sequence(number),
                changes: Vec::new(),
            };
            told.news.send(Arc::new(early)).unwrap();
            tokio::task::yield_now().await;
        }
        told.feed.watch().wait_for(|head| *head == end()).await.unwrap();
        assert!(since.elapsed() < GAP_MAX, "{:?}", since.elapsed());
        assert!(stream.next().await.is_some(), "and streams get what was read");
    });
}

#[test]
fn the_end_comes_behind_the_last_news() {
    block_on(async {
        let before = Position(end().0 - 1);
        let told = Told::from(before, KEPT_BYTES_MAX);
        let mut stream = told.stream(before, None);
        assert!(stream.next().await.is_some(), "the beginning");
        told.news.send(RECORDED.told.last().unwrap().clone()).unwrap();
        told.feed.watch().wait_for(|head| *head == end()).await.unwrap();
        told.stop.is_over();
        let last = stream.next().await.unwrap();
        assert_eq!(std::str::from_utf8(&last).unwrap(), expected(before, None));
        assert_eq!(stream.next().await, None);
    });
}

#[test]
fn the_end_of_a_log_is_found_however_long_it_is() {
    let folder = TempDir::new().unwrap();
    let log = SqliteLog::open(folder.path()).unwrap();
    let run: RunId = "r1".parse().unwrap();
    for length in 0..9_u64 {
        assert_eq!(end_of(&log).unwrap(), Position(length));
        let entry = store::NewEntry {
            at: Timestamp(1),
            actor: "system".to_owned(),
            kind: "runPaused".to_owned(),
            version: 1,
            payload: "{}".to_owned(),
        };
        log.append(&run, domain::Sequence(length), vec![entry]).unwrap();
    }
}

/// Returns the data of each event.
fn data_of(text: &str) -> Vec<serde_json::Value> {
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap()).collect()
}

#[test]
fn one_who_wants_some_kinds_or_sessions_hears_those_and_can_come_back() {
    let whole = data_of(&expected(Position(0), None));
    let check = |wanted: Wanted, is_wanted: &dyn Fn(&serde_json::Value) -> bool| {
        let expected: Vec<_> = whole.iter().filter(|data| is_wanted(data)).cloned().collect();
        assert!(!expected.is_empty() && expected.len() < whole.len(), "{wanted:?}");
        // From the log, and from what is at hand; in one go, and by one who comes back with every id.
        for head in [Position(0), end()] {
            let heard = block_on(async {
                let told = Told::from(head, KEPT_BYTES_MAX);
                for published in &RECORDED.told {
                    drop(told.news.send(Arc::clone(published)));
                    tokio::task::yield_now().await;
                }
                told.feed.watch().wait_for(|head| *head == end()).await.unwrap();
                told.stop.is_over();
                let (mut heard, mut after) = (String::new(), Position(0));
                loop {
                    let mut stream = told.stream(after, None);
                    stream.wanted = Wanted { after, ..wanted.clone() };
                    stream.next().await.unwrap();
                    let Some(piece) = stream.next().await else { return heard };
                    let piece = std::str::from_utf8(&piece).unwrap();
                    let last =
                        piece.lines().filter_map(|line| line.strip_prefix("id: ")).next_back().unwrap();
                    assert!(
                        piece.trim_end().ends_with(&format!("id: {last}"))
                            || piece.contains(&format!("id: {last}\ndata:"))
                    );
                    after = Position(last.parse().unwrap());
                    heard.push_str(piece);
                }
            });
            assert_eq!(data_of(&heard), expected, "{wanted:?} from {head}");
        }
    };
    let kinds = vec![views::RowKind::Task, views::RowKind::Run];
    check(Wanted { kinds, ..Wanted::default() }, &|data| data["kind"] == "task" || data["kind"] == "run");
    let of_r2 = Wanted {
        kinds: vec![views::RowKind::Session],
        only: Some("r2".parse().unwrap()),
        ..Wanted::default()
    };
    check(of_r2, &|data| data["kind"] == "session" && data["run"] == "r2");
    let session = domain::SessionId(3);
    let kinds = vec![views::RowKind::Session];
    check(Wanted { kinds, sessions: vec![session], ..Wanted::default() }, &|data| {
        data["kind"] == "session" && data["key"] == session.to_string()
    });
}

#[test]
fn what_comes_within_a_moment_is_told_together_and_the_first_at_once() {
    block_on(async {
        let told = Told::from(Position(0), KEPT_BYTES_MAX);
        let mut stream = told.stream(Position(0), None);
        assert!(stream.next().await.is_some(), "the beginning");
        let since = tokio::time::Instant::now();
        told.news.send(Arc::clone(&RECORDED.told[0])).unwrap();
        let first = stream.next().await.unwrap();
        assert_eq!((n_ids(&first), since.elapsed()), (1, std::time::Duration::ZERO));
        for published in &RECORDED.told[1..10] {
            told.news.send(Arc::clone(published)).unwrap();
            tokio::task::yield_now().await;
        }
        let rest = stream.next().await.unwrap();
        assert_eq!((n_ids(&rest), since.elapsed()), (9, super::event_stream::COALESCE));
    });
}

fn n_ids(text: &[u8]) -> usize {
    std::str::from_utf8(text).unwrap().lines().filter(|line| line.starts_with("id: ")).count()
}

#[test]
fn where_nothing_happens_a_word_keeps_the_line_open() {
    block_on(async {
        let told = Told::from(Position(0), KEPT_BYTES_MAX);
        let mut stream = told.stream(Position(0), None);
        assert!(stream.next().await.is_some(), "the beginning");
        let quiet = std::time::Duration::from_secs(15);
        for _ in 0..2 {
            let since = tokio::time::Instant::now();
            assert_eq!(&stream.next().await.unwrap()[..], b":\n\n");
            assert_eq!(since.elapsed(), quiet);
        }
        // News counts as a word.
        tokio::time::advance(quiet / 2).await;
        told.news.send(Arc::clone(&RECORDED.told[0])).unwrap();
        assert_eq!(n_ids(&stream.next().await.unwrap()), 1);
        let since = tokio::time::Instant::now();
        assert_eq!(&stream.next().await.unwrap()[..], b":\n\n");
        assert_eq!(since.elapsed(), quiet);
    });
}
