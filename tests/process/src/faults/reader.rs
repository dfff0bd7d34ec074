//! A reader of a merchant's journal, who goes on where it stopped, through whichever server there is.

use std::{sync::atomic::Ordering, time::Duration};

use serde_json::Value;

use crate::faults::{
    client::Caller,
    run::{Party, StormRun},
};

/// Between two questions where nothing is new.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The events that were read: order and sequence, in the order of the journal.
pub(crate) type Read = Vec<(u64, u64)>;

/// Reads until everything is settled and read.
pub(crate) fn follow(storm: &StormRun<'_>, merchant: &Party) -> Read {
    let caller = Caller::new(storm, &merchant.key);
    let (mut after, mut read) = ("0".to_owned(), Read::new());
    loop {
        let last = storm.settled.load(Ordering::SeqCst);
        let path = format!("/delivery/events?limit=100&after={after}");
        let Some((status, page)) = caller.retry_until_response("GET", &path, None, &Value::Null) else { return read };
        let Some(next) = page["next"].as_str().filter(|_| status == 200) else {
            storm.wrong(format!("the journal of merchant {} was answered {status}: {page}", merchant.id));
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
