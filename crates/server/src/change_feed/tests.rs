//! A stream that is interrupted anywhere, and repeatedly, delivers the same as an uninterrupted one.

use std::{
    collections::VecDeque,
    sync::{Arc, LazyLock},
};

use domain::{RunId, Timestamp};
use proptest::{collection::vec, prelude::*, sample::Index};
use runtime::{AgentActivity, DurableRun, DurableRunError, HostEvent};
use store::{Log, Position, SqliteLog};
use tempfile::TempDir;
use testkit::{
    run_loop::{start_input, success_inputs},
    workloads::{GraphShape, generate},
};
use tokio::sync::{Semaphore, broadcast};

use super::{
    BUFFER_BYTES_MAX, ChangeFeed, EventStream, GAP_WAIT_MAX, OUT_OF_ORDER_MAX, StreamContext, StreamFilter,
    log_replay::LogReplay, run_feed,
};
use crate::stop_signal::StopSignal;

/// Two runs that were recorded alternately, and their published events.
struct RecordedRuns {
    log: Arc<dyn Log>,
    published: Vec<Arc<HostEvent>>,
    end: Position,
    _folder: TempDir,
}

static RECORDED: LazyLock<RecordedRuns> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let log: Arc<dyn Log> = Arc::new(SqliteLog::open(folder.path()).unwrap());
    let mut published = Vec::new();
    let mut open = |name: &str, seed| {
        let mut durable_run = DurableRun::open(Arc::clone(&log), name.parse().unwrap()).unwrap();
        let work = generate(GraphShape::Chains, 5, seed);
        let step = durable_run.execute(Timestamp(1), start_input(&work, 2)).unwrap();
        push_host_events(&mut published, &durable_run, step.events);
        (durable_run, VecDeque::from(step.effects))
    };
    let mut runs = [open("r1", 1), open("r2", 2)];
    for now in 2.. {
        let index = usize::from(now % 5 < 2);
        let (durable_run, effects) = &mut runs[index];
        if let Some((id, effect)) = effects.pop_front() {
            for input in success_inputs(id, effect) {
                match durable_run.execute(Timestamp(now), input) {
                    Ok(step) => {
                        effects.extend(step.effects);
                        push_host_events(&mut published, durable_run, step.events);
                    }
                    Err(DurableRunError::Rejected(_)) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        }
        if runs.iter().all(|(_, effects)| effects.is_empty()) {
            break;
        }
    }
    let end = log.last_position().unwrap();
    RecordedRuns { log, published, end, _folder: folder }
});

fn push_host_events(
    published: &mut Vec<Arc<HostEvent>>,
    durable_run: &DurableRun,
    shown: Vec<runtime::AppliedEvent>,
) {
    published.push(Arc::new(HostEvent::Recorded { run: durable_run.id().clone(), events: shown }));
}

/// Returns the frames of the log after a position.
fn expected_frames(after: Position, run: Option<&RunId>) -> String {
    let mut replay = LogReplay::starting_after(Arc::clone(&RECORDED.log), after, run.cloned());
    let mut text = String::new();
    while let Some(page) = replay.next_page().unwrap() {
        page.iter().for_each(|frames| text.push_str(std::str::from_utf8(&frames.text).unwrap()));
    }
    text
}

fn end_position() -> Position {
    RECORDED.end
}

fn last_position_of_run(run: &str) -> Position {
    let is_of_run = |published: &&Arc<HostEvent>| matches!(&***published, HostEvent::Recorded { run: id, .. } if id.as_str() == run);
    match RECORDED.published.iter().rfind(is_of_run).map(|published| &**published) {
        Some(HostEvent::Recorded { events, .. }) => events.last().unwrap().position,
        _ => Position(0),
    }
}

/// A feed that receives published events after a position.
struct TestFeed {
    feed: Arc<ChangeFeed>,
    events: broadcast::Sender<Arc<HostEvent>>,
    stop: StopSignal,
}

impl TestFeed {
    fn starting_at(head: Position, bytes_max: usize) -> Self {
        let (events, receiver) = broadcast::channel(16);
        let feed = Arc::new(ChangeFeed::starting_at(head, bytes_max));
        tokio::spawn(run_feed(Arc::clone(&feed), Arc::clone(&RECORDED.log), receiver));
        Self { feed, events, stop: StopSignal::new() }
    }

    fn stream(&self, after: Position, run: Option<RunId>) -> EventStream {
        let context = StreamContext {
            feed: Arc::clone(&self.feed),
            stage: self.stop.watch(),
            log: Arc::clone(&RECORDED.log),
            readers: Arc::new(Semaphore::new(1)),
            _permit: Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap(),
        };
        EventStream::new(context, StreamFilter { after, run, ..StreamFilter::default() })
    }
}

/// A client that discards frames after the last id, because a reconnect repeats them.
struct TestClient {
    last: Position,
    run: Option<RunId>,
    /// The frames up to the last id.
    complete: String,
}

impl TestClient {
    /// Reads a stream to the end of the log, or until the connection is closed after `bytes_left` bytes.
    async fn read(&mut self, feed: &TestFeed, mut bytes_left: usize) {
        let mut stream = feed.stream(self.last, self.run.clone());
        let mut incomplete = String::new();
        while bytes_left > 0 && self.last < self.expected_end_position() {
            let Some(chunk) = stream.next().await else { break };
            assert_ne!(chunk, ":\n\n", "no event follows {}", self.last);
            let chunk = &chunk[..chunk.len().min(bytes_left)];
            bytes_left -= chunk.len();
            // Only the last chunk can end within a character.
            incomplete.push_str(&String::from_utf8_lossy(chunk));
            incomplete = self.accept(&incomplete);
        }
    }

    /// Returns the last position that the client will receive.
    fn expected_end_position(&self) -> Position {
        self.run.as_ref().map_or(end_position(), |run| last_position_of_run(run.as_str()))
    }

    /// Accepts complete entries; returns the incomplete rest.
    fn accept(&mut self, received: &str) -> String {
        let mut rest = received;
        let mut incomplete = String::new();
        while let Some((event, following)) = rest.split_once("\n\n") {
            rest = following;
            let id = event.lines().find_map(|line| line.strip_prefix("id: ")).map(|id| id.parse().unwrap());
            if !event.starts_with("retry:") {
                incomplete.push_str(event);
                incomplete.push_str("\n\n");
            }
            if let Some(id) = id {
                self.last = Position(id);
                self.complete.push_str(&std::mem::take(&mut incomplete));
            }
        }
        incomplete + rest
    }
}

/// How published events reach the feed.
#[derive(Debug, Clone)]
struct FeedDelivery {
    /// Where the feed starts.
    head: Index,
    /// By how many events each one is delayed.
    delays: Vec<usize>,
    /// Which events are lost.
    lost: Vec<bool>,
    /// Whether the feed runs between two events.
    yields: Vec<bool>,
    bytes_max: usize,
}

fn delivery() -> impl Strategy<Value = FeedDelivery> {
    let bytes_max = prop_oneof![Just(1), Just(20_000), Just(BUFFER_BYTES_MAX)];
    (
        any::<Index>(),
        vec(0_usize..4, 1..50),
        vec(prop::bool::weighted(0.1), 1..50),
        vec(any::<bool>(), 1..50),
        bytes_max,
    )
        .prop_map(|(head, delays, lost, yields, bytes_max)| FeedDelivery {
            head,
            delays,
            lost,
            yields,
            bytes_max,
        })
}

/// Sends the events after a position.
async fn publish_events(events: &broadcast::Sender<Arc<HostEvent>>, delivery: &FeedDelivery, head: Position) {
    let mut order: Vec<_> = RECORDED.published.iter().enumerate().collect();
    order.sort_by_key(|(index, _)| index + delivery.delays[index % delivery.delays.len()]);
    for (index, published) in order {
        let HostEvent::Recorded { events: recorded, .. } = &**published else { continue };
        let last = recorded.last().unwrap().position;
        let is_lost = delivery.lost[index % delivery.lost.len()] && last < end_position();
        if last > head && !is_lost {
            drop(events.send(Arc::clone(published)));
        }
        if delivery.yields[index % delivery.yields.len()] {
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
    fn interrupted_stream_delivers_the_same_as_an_uninterrupted_one(
        delivery in delivery(),
        after: Index,
        is_one_run: bool,
        cuts in vec(0_usize..30_000, 0..6),
    ) {
        let n_entries = usize::try_from(end_position().0).unwrap();
        let head = Position(u64::try_from(delivery.head.index(n_entries + 1)).unwrap());
        let after = Position(u64::try_from(after.index(n_entries + 1)).unwrap());
        let run: Option<RunId> = is_one_run.then(|| "r2".parse().unwrap());
        let received = block_on(async {
            let feed = TestFeed::starting_at(head, delivery.bytes_max);
            let (events, delivery) = (feed.events.clone(), delivery.clone());
            tokio::spawn(async move { publish_events(&events, &delivery, head).await });
            let mut client = TestClient { last: after, run: run.clone(), complete: String::new() };
            for cut in cuts {
                client.read(&feed, cut).await;
            }
            // The server closes a stream that is too slow for a small buffer; the client reconnects.
            while client.last < client.expected_end_position() {
                client.read(&feed, usize::MAX).await;
            }
            client.complete
        });
        prop_assert_eq!(received, expected_frames(after, run.as_ref()));
    }
}

#[test]
fn session_activity_is_sent_at_once_and_without_an_id() {
    block_on(async {
        let feed = TestFeed::starting_at(end_position(), BUFFER_BYTES_MAX);
        let mut all = feed.stream(end_position(), None);
        let mut other = feed.stream(end_position(), Some("r2".parse().unwrap()));
        let activity = AgentActivity::Text { text: "one\ntwo".to_owned() };
        let event =
            HostEvent::Activity { run: "r1".parse().unwrap(), session: domain::SessionId(7), activity };
        feed.events.send(Arc::new(event)).unwrap();
        assert_eq!(all.next().await.unwrap(), format!("retry: 1000\nid: {}\n\n", end_position()));
        let expected = "event: session.activity\ndata: {\"run\":\"r1\",\"session\":\"s_7\",\"activity\":{\"type\":\"text\",\"text\":\"one\\ntwo\"}}\n\n";
        assert_eq!(all.next().await.unwrap(), expected);
        assert_eq!(other.next().await.unwrap(), format!("retry: 1000\nid: {}\n\n", end_position()));
        assert_eq!(other.next().await.unwrap(), ":\n\n", "only a keep-alive");
    });
}

#[test]
fn slow_stream_is_closed_and_a_late_one_reads_the_log() {
    block_on(async {
        let half = Position(end_position().0 / 2);
        let feed = TestFeed::starting_at(half, 1);
        let mut slow = feed.stream(half, None);
        assert!(slow.next().await.is_some(), "the first frame");
        for published in &RECORDED.published {
            feed.events.send(Arc::clone(published)).unwrap();
            tokio::task::yield_now().await;
        }
        feed.feed.watch_head().wait_for(|head| *head == end_position()).await.unwrap();
        assert_eq!(slow.next().await, None, "it is behind the buffered entries");
        let mut late = TestClient { last: half, run: None, complete: String::new() };
        late.read(&feed, usize::MAX).await;
        assert_eq!(late.complete, expected_frames(half, None));
    });
}

#[test]
fn late_stream_continues_with_the_feed() {
    block_on(async {
        let feed = TestFeed::starting_at(Position(0), 1);
        for published in &RECORDED.published {
            feed.events.send(Arc::clone(published)).unwrap();
            tokio::task::yield_now().await;
        }
        feed.feed.watch_head().wait_for(|head| *head == end_position()).await.unwrap();
        let mut late = feed.stream(Position(0), None);
        let last = format!("id: {}\n", end_position());
        while !std::str::from_utf8(&late.next().await.unwrap()).unwrap().contains(&last) {}
        let activity = AgentActivity::Warning { text: "the model is busy".to_owned() };
        let event =
            HostEvent::Activity { run: "r1".parse().unwrap(), session: domain::SessionId(7), activity };
        feed.events.send(Arc::new(event)).unwrap();
        assert!(late.next().await.unwrap().starts_with(b"event: session.activity\n"));
    });
}

#[test]
fn too_many_entries_after_a_gap_are_dropped_and_the_log_is_read_at_once() {
    block_on(async {
        let feed = TestFeed::starting_at(Position(0), BUFFER_BYTES_MAX);
        let mut stream = feed.stream(Position(0), None);
        assert!(stream.next().await.is_some(), "the first frame");
        let since = tokio::time::Instant::now();
        for number in 1..=u64::try_from(OUT_OF_ORDER_MAX + 1).unwrap() {
            let event = runtime::AppliedEvent {
                position: Position(end_position().0 + 1 + number),
                sequence: domain::Sequence(number),
                changes: Vec::new(),
            };
            let out_of_order = HostEvent::Recorded { run: "r1".parse().unwrap(), events: vec![event] };
            feed.events.send(Arc::new(out_of_order)).unwrap();
            tokio::task::yield_now().await;
        }
        feed.feed.watch_head().wait_for(|head| *head == end_position()).await.unwrap();
        assert!(since.elapsed() < GAP_WAIT_MAX, "{:?}", since.elapsed());
        assert!(stream.next().await.is_some(), "streams get the entries read");
    });
}

#[test]
fn stream_ends_after_the_last_event() {
    block_on(async {
        let before = Position(end_position().0 - 1);
        let feed = TestFeed::starting_at(before, BUFFER_BYTES_MAX);
        let mut stream = feed.stream(before, None);
        assert!(stream.next().await.is_some(), "the first frame");
        feed.events.send(RECORDED.published.last().unwrap().clone()).unwrap();
        feed.feed.watch_head().wait_for(|head| *head == end_position()).await.unwrap();
        feed.stop.mark_stopped();
        let last = stream.next().await.unwrap();
        assert_eq!(std::str::from_utf8(&last).unwrap(), expected_frames(before, None));
        assert_eq!(stream.next().await, None);
    });
}

#[test]
fn last_position_is_found_for_every_length() {
    let folder = TempDir::new().unwrap();
    let log = SqliteLog::open(folder.path()).unwrap();
    let run: RunId = "r1".parse().unwrap();
    for length in 0..9_u64 {
        assert_eq!(log.last_position().unwrap(), Position(length));
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
fn filtered_stream_has_the_selected_rows_and_can_be_resumed() {
    let all = data_of(&expected_frames(Position(0), None));
    let check = |filter: StreamFilter, is_selected: &dyn Fn(&serde_json::Value) -> bool| {
        let expected: Vec<_> = all.iter().filter(|data| is_selected(data)).cloned().collect();
        assert!(!expected.is_empty() && expected.len() < all.len(), "{filter:?}");
        // From the log and from the buffer; the client reconnects after every chunk.
        for head in [Position(0), end_position()] {
            let received = block_on(async {
                let feed = TestFeed::starting_at(head, BUFFER_BYTES_MAX);
                for published in &RECORDED.published {
                    drop(feed.events.send(Arc::clone(published)));
                    tokio::task::yield_now().await;
                }
                feed.feed.watch_head().wait_for(|head| *head == end_position()).await.unwrap();
                feed.stop.mark_stopped();
                let (mut received, mut after) = (String::new(), Position(0));
                loop {
                    let mut stream = feed.stream(after, None);
                    stream.filter = StreamFilter { after, ..filter.clone() };
                    stream.next().await.unwrap();
                    let Some(chunk) = stream.next().await else { return received };
                    let chunk = std::str::from_utf8(&chunk).unwrap();
                    let last =
                        chunk.lines().filter_map(|line| line.strip_prefix("id: ")).next_back().unwrap();
                    assert!(
                        chunk.trim_end().ends_with(&format!("id: {last}"))
                            || chunk.contains(&format!("id: {last}\ndata:"))
                    );
                    after = Position(last.parse().unwrap());
                    received.push_str(chunk);
                }
            });
            assert_eq!(data_of(&received), expected, "{filter:?} from {head}");
        }
    };
    let kinds = vec![views::RowKind::Task, views::RowKind::Run];
    check(StreamFilter { kinds, ..StreamFilter::default() }, &|data| {
        data["kind"] == "task" || data["kind"] == "run"
    });
    let of_r2 = StreamFilter {
        kinds: vec![views::RowKind::Session],
        run: Some("r2".parse().unwrap()),
        ..StreamFilter::default()
    };
    check(of_r2, &|data| data["kind"] == "session" && data["run"] == "r2");
    let session = domain::SessionId(3);
    let kinds = vec![views::RowKind::Session];
    check(StreamFilter { kinds, sessions: vec![session], ..StreamFilter::default() }, &|data| {
        data["kind"] == "session" && data["key"] == session.to_string()
    });
}

#[test]
fn events_of_an_input_are_sent_at_once_and_following_ones_are_coalesced() {
    block_on(async {
        let feed = TestFeed::starting_at(Position(0), BUFFER_BYTES_MAX);
        let mut stream = feed.stream(Position(0), None);
        assert!(stream.next().await.is_some(), "the first frame");
        let since = tokio::time::Instant::now();
        feed.events.send(Arc::clone(&RECORDED.published[0])).unwrap();
        let first = stream.next().await.unwrap();
        let n_first = n_events(&RECORDED.published[..1]);
        assert!(n_first > 1);
        assert_eq!((n_ids(&first), since.elapsed()), (n_first, std::time::Duration::ZERO));
        for published in &RECORDED.published[1..10] {
            feed.events.send(Arc::clone(published)).unwrap();
            tokio::task::yield_now().await;
        }
        let rest = stream.next().await.unwrap();
        let n_rest = n_events(&RECORDED.published[1..10]);
        assert_eq!((n_ids(&rest), since.elapsed()), (n_rest, super::event_stream::COALESCE));
    });
}

fn n_events(published: &[Arc<HostEvent>]) -> usize {
    let count = |published: &Arc<HostEvent>| match &**published {
        HostEvent::Recorded { events, .. } => events.len(),
        HostEvent::Activity { .. } => 0,
    };
    published.iter().map(count).sum()
}

fn n_ids(text: &[u8]) -> usize {
    std::str::from_utf8(text).unwrap().lines().filter(|line| line.starts_with("id: ")).count()
}

#[test]
fn silent_stream_sends_keep_alives() {
    block_on(async {
        let feed = TestFeed::starting_at(Position(0), BUFFER_BYTES_MAX);
        let mut stream = feed.stream(Position(0), None);
        assert!(stream.next().await.is_some(), "the first frame");
        let interval = std::time::Duration::from_secs(15);
        for _ in 0..2 {
            let since = tokio::time::Instant::now();
            assert_eq!(&stream.next().await.unwrap()[..], b":\n\n");
            assert_eq!(since.elapsed(), interval);
        }
        // An event resets the time of the next keep-alive.
        tokio::time::advance(interval / 2).await;
        feed.events.send(Arc::clone(&RECORDED.published[0])).unwrap();
        assert_eq!(n_ids(&stream.next().await.unwrap()), n_events(&RECORDED.published[..1]));
        let since = tokio::time::Instant::now();
        assert_eq!(&stream.next().await.unwrap()[..], b":\n\n");
        assert_eq!(since.elapsed(), interval);
    });
}
