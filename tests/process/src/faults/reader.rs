//! A reader of a merchant's journal. It resumes from its cursor on any available server.

use std::{sync::atomic::Ordering, time::Duration};

use serde_json::Value;

use crate::faults::{
    client::Caller,
    run::{Client, RunState},
};

/// The interval between two requests if there are no new events.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The events that were read: the order's ID and the sequence number, in the order of the journal.
pub(crate) type ReadEvents = Vec<(u64, u64)>;

/// Reads until the run is settled and all events are read.
pub(crate) fn follow(state: &RunState<'_>, merchant: &Client) -> ReadEvents {
    let caller = Caller::new(state, &merchant.key);
    let (mut after, mut read) = ("0".to_owned(), ReadEvents::new());
    loop {
        let last = state.settled.load(Ordering::SeqCst);
        let path = format!("/delivery/events?limit=100&after={after}");
        let Some((status, page)) = caller.retry_until_response("GET", &path, None, &Value::Null)
        else {
            return read;
        };
        let Some(next) = page["next"].as_str().filter(|_| status == 200) else {
            state.record_violation(format!(
                "the journal of merchant {} returned {status}: {page}",
                merchant.id
            ));
            return read;
        };
        let number = |event: &Value, name: &str| event[name].as_u64().unwrap_or_default();
        let events = page["events"].as_array().into_iter().flatten();
        read.extend(events.map(|event| (number(event, "orderId"), number(event, "sequence"))));
        after = next.to_owned();
        if page["more"] == false {
            if last {
                return read;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}
