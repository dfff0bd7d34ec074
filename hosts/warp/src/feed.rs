//! What streams of one journal share: whoever comes first reads and writes the next page, and all others at the same place take it.
//!
//! Of a thousand streams that a commit wakes, one asks the database, once for the new events and once to learn that these were all.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use bytes::Bytes;
use despacho_core::{
    drivers::stream::Subscription,
    host::HostError,
    model::{Language, order::Journal},
};
use tokio::time::Instant;

use crate::store::Store;

/// The feeds that some stream holds.
#[derive(Debug, Default)]
pub struct Feeds(Mutex<BTreeMap<(Journal, Language), Weak<Feed>>>);

/// The newest pages of a journal in one language, the oldest of them first: some streams are a commit behind the others.
#[derive(Debug, Default)]
pub struct Feed(tokio::sync::Mutex<VecDeque<Page>>);

/// Pages of a feed at most.
const PAGES: usize = 8;
/// Bytes of a feed's pages at most. A page of the events of one commit has some hundreds.
const BYTES: usize = 32 * 1_024;

#[derive(Debug)]
struct Page {
    /// The place that it follows.
    from: u64,
    /// The place that it ends with.
    to: u64,
    text: Bytes,
    /// What this process had been told of when it was read.
    updates: u64,
    at: Instant,
}

/// How new a page must be that says that there is nothing.
#[derive(Clone, Copy, Debug)]
pub struct Freshness {
    /// The news of this process that it must know of.
    pub updates: u64,
    /// How old it may be: for what other instances wrote.
    pub age: Duration,
}

impl Feeds {
    /// The feed of this subscription's journal.
    pub fn of(&self, subscription: &Subscription) -> Arc<Feed> {
        let mut feeds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let name = (subscription.journal, subscription.language);
        if let Some(feed) = feeds.get(&name).and_then(Weak::upgrade) {
            return feed;
        }
        // So that the map holds no more feeds than streams are open, and one.
        feeds.retain(|_, feed| feed.strong_count() > 0);
        let feed = Arc::new(Feed::default());
        feeds.insert(name, Arc::downgrade(&feed));
        feed
    }
}

impl Page {
    /// Whether this is what follows a place; a page that says that there is nothing may be too old for that.
    fn follows(&self, place: u64, fresh: Freshness) -> bool {
        let is_new = || self.updates >= fresh.updates && self.at.elapsed() < fresh.age;
        self.from == place && (self.to > self.from || is_new())
    }
}

impl Feed {
    /// Up to `limit` events that follow the subscription's place, which moves on; empty where there are none.
    pub async fn next(
        &self,
        store: &Store,
        subscription: &mut Subscription,
        fresh: Freshness,
        limit: u32,
    ) -> Result<Bytes, HostError> {
        let mut pages = self.0.lock().await;
        if let Some(page) = pages.iter().rev().find(|page| page.follows(subscription.position, fresh)) {
            subscription.position = page.to;
            return Ok(page.text.clone());
        }
        if pages.front().is_some_and(|oldest| subscription.position < oldest.from) {
            // Far behind: what it reads is of use to nobody else, and nobody waits for it.
            drop(pages);
            return store.next(subscription, limit).await.map(Into::into);
        }
        let (from, at) = (subscription.position, Instant::now());
        let text = Bytes::from(store.next(subscription, limit).await?);
        keep(&mut pages, Page { from, to: subscription.position, text: text.clone(), updates: fresh.updates, at });
        Ok(text)
    }
}

/// Adds a page, in the place of an empty one that said that it was not there yet, and lets old ones go.
fn keep(pages: &mut VecDeque<Page>, page: Page) {
    pages.retain(|old| old.to > old.from);
    pages.push_back(page);
    while pages.len() > PAGES || pages.iter().map(|page| page.text.len()).sum::<usize>() > BYTES {
        pages.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_page_of_events_holds_for_ever_and_an_empty_one_for_a_while() {
        let fresh = Freshness { updates: 7, age: Duration::from_secs(1) };
        let page = |from, to| Page { from, to, text: Bytes::new(), updates: 7, at: Instant::now() };
        let (events, nothing) = (page(3, 5), page(5, 5));
        assert!(events.follows(3, fresh) && !events.follows(4, fresh) && !events.follows(5, fresh));
        assert!(nothing.follows(5, fresh) && !nothing.follows(5, Freshness { updates: 8, ..fresh }));
        tokio::time::advance(Duration::from_secs(2)).await;
        assert!(events.follows(3, fresh) && !nothing.follows(5, fresh));
    }

    #[test]
    fn a_feed_has_a_size() {
        let mut pages = VecDeque::new();
        let page = |from, to, size| Page { from, to, text: vec![b'x'; size].into(), updates: 0, at: Instant::now() };
        for place in 0..20 {
            keep(&mut pages, page(place, place, 0));
            keep(&mut pages, page(place, place + 1, 10));
        }
        assert_eq!((pages.len(), pages[0].from), (PAGES, 12), "none of them empty");
        keep(&mut pages, page(20, 30, BYTES - 15));
        assert_eq!(pages.iter().map(|page| page.from).collect::<Vec<_>>(), [19, 20]);
        keep(&mut pages, page(30, 40, BYTES + 1));
        assert!(pages.is_empty(), "one that is too large is for who read it");
    }

    #[test]
    fn a_feed_is_shared_while_somebody_holds_it() {
        use despacho_core::model::{KeyId, StoreId, store::KeyHash};
        let reader = |store, language| Subscription {
            journal: Journal { merchant: StoreId::new(store).unwrap(), branch: None },
            position: 0,
            language,
            key: KeyId::new(1).unwrap(),
            hash: KeyHash::of("a"),
        };
        let feeds = Feeds::default();
        let first = feeds.of(&reader(1, Language::English));
        assert!(Arc::ptr_eq(&first, &feeds.of(&reader(1, Language::English))));
        assert!(!Arc::ptr_eq(&first, &feeds.of(&reader(1, Language::Portuguese))));
        let other = feeds.of(&reader(2, Language::English));
        drop(first);
        let _third = feeds.of(&reader(3, Language::English));
        assert_eq!(feeds.0.lock().unwrap().len(), 2, "those that nobody held are gone");
        drop(other);
    }
}
