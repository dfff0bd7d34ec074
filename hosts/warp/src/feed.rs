//! The page cache that streams of one journal share: the first stream at a position reads and
//! renders the next page for all others.
//!
//! When a commit wakes a thousand streams, one of them queries the database: once for the new
//! events, and once to find that there are no more.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use bytes::Bytes;
use despacho_core::{
    drivers::stream::JournalSubscription,
    host::HostError,
    model::{Language, order::Journal},
};
use tokio::time::Instant;

use crate::store::Store;

/// The feeds of all open streams.
#[derive(Debug, Default)]
pub struct Feeds(Mutex<BTreeMap<(Journal, Language), Weak<Feed>>>);

/// The newest pages of a journal in one language, oldest first. Several are stored because some
/// streams are a commit behind the others.
#[derive(Debug, Default)]
pub struct Feed(tokio::sync::Mutex<VecDeque<Page>>);

/// Maximum number of pages in a feed.
const MAX_PAGES: usize = 8;
/// Maximum size of a feed's pages. The events of one commit have some hundred bytes.
const MAX_BYTES: usize = 32 * 1_024;

#[derive(Debug)]
struct Page {
    /// The position before the first event.
    from: u64,
    /// The position of the last event.
    to: u64,
    text: Bytes,
    /// The update count of this process when the page was read.
    updates: u64,
    at: Instant,
}

/// The conditions under which an empty page is still valid.
#[derive(Clone, Copy, Debug)]
pub struct Freshness {
    /// The minimum update count of this process.
    pub updates: u64,
    /// The maximum age, because of writes by other instances.
    pub age: Duration,
}

impl Feeds {
    /// Returns the feed of a subscription's journal.
    pub fn of(&self, subscription: &JournalSubscription) -> Arc<Feed> {
        let mut feeds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let name = (subscription.journal, subscription.language);
        if let Some(feed) = feeds.get(&name).and_then(Weak::upgrade) {
            return feed;
        }
        // Bounds the map by the number of open streams, plus one.
        feeds.retain(|_, feed| feed.strong_count() > 0);
        let feed = Arc::new(Feed::default());
        feeds.insert(name, Arc::downgrade(&feed));
        feed
    }
}

impl Page {
    /// Returns whether the page follows a position. An empty page may be outdated.
    fn follows(&self, place: u64, freshness: Freshness) -> bool {
        let is_new = || self.updates >= freshness.updates && self.at.elapsed() < freshness.age;
        self.from == place && (self.to > self.from || is_new())
    }
}

impl Feed {
    /// Returns up to `limit` events after the subscription's position, and advances it. Empty if
    /// there are none.
    pub async fn next(
        &self,
        store: &Store,
        subscription: &mut JournalSubscription,
        freshness: Freshness,
        limit: u32,
    ) -> Result<Bytes, HostError> {
        let mut pages = self.0.lock().await;
        if let Some(page) = pages
            .iter()
            .rev()
            .find(|page| page.follows(subscription.position, freshness))
        {
            subscription.position = page.to;
            return Ok(page.text.clone());
        }
        if pages
            .front()
            .is_some_and(|oldest| subscription.position < oldest.from)
        {
            // The stream is far behind: its page is useless to others, which must not wait for it.
            drop(pages);
            return store.next(subscription, limit).await.map(Into::into);
        }
        let (from, at) = (subscription.position, Instant::now());
        let text = Bytes::from(store.next(subscription, limit).await?);
        push(
            &mut pages,
            Page {
                from,
                to: subscription.position,
                text: text.clone(),
                updates: freshness.updates,
                at,
            },
        );
        Ok(text)
    }
}

/// Adds a page, replaces outdated empty pages and removes the oldest pages above the limits.
fn push(pages: &mut VecDeque<Page>, page: Page) {
    pages.retain(|old| old.to > old.from);
    pages.push_back(page);
    while pages.len() > MAX_PAGES
        || pages.iter().map(|page| page.text.len()).sum::<usize>() > MAX_BYTES
    {
        pages.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn page_with_events_never_expires_and_empty_page_does() {
        let freshness = Freshness {
            updates: 7,
            age: Duration::from_secs(1),
        };
        let page = |from, to| Page {
            from,
            to,
            text: Bytes::new(),
            updates: 7,
            at: Instant::now(),
        };
        let (events, nothing) = (page(3, 5), page(5, 5));
        assert!(
            events.follows(3, freshness)
                && !events.follows(4, freshness)
                && !events.follows(5, freshness)
        );
        assert!(
            nothing.follows(5, freshness)
                && !nothing.follows(
                    5,
                    Freshness {
                        updates: 8,
                        ..freshness
                    }
                )
        );
        tokio::time::advance(Duration::from_secs(2)).await;
        assert!(events.follows(3, freshness) && !nothing.follows(5, freshness));
    }

    #[test]
    fn feed_is_bounded_in_pages_and_bytes() {
        let mut pages = VecDeque::new();
        let page = |from, to, size| Page {
            from,
            to,
            text: vec![b'x'; size].into(),
            updates: 0,
            at: Instant::now(),
        };
        for place in 0..20 {
            push(&mut pages, page(place, place, 0));
            push(&mut pages, page(place, place + 1, 10));
        }
        assert_eq!(
            (pages.len(), pages[0].from),
            (MAX_PAGES, 12),
            "none of them empty"
        );
        push(&mut pages, page(20, 30, MAX_BYTES - 15));
        assert_eq!(
            pages.iter().map(|page| page.from).collect::<Vec<_>>(),
            [19, 20]
        );
        push(&mut pages, page(30, 40, MAX_BYTES + 1));
        assert!(pages.is_empty(), "a page above the limit is not cached");
    }

    #[test]
    fn feed_is_shared_while_a_stream_uses_it() {
        use despacho_core::model::{KeyId, StoreId, store::KeyHash};
        let reader = |store, language| JournalSubscription {
            journal: Journal {
                merchant: StoreId::new(store).unwrap(),
                branch: None,
            },
            position: 0,
            language,
            key: KeyId::new(1).unwrap(),
            hash: KeyHash::of("a"),
        };
        let feeds = Feeds::default();
        let first = feeds.of(&reader(1, Language::English));
        assert!(Arc::ptr_eq(
            &first,
            &feeds.of(&reader(1, Language::English))
        ));
        assert!(!Arc::ptr_eq(
            &first,
            &feeds.of(&reader(1, Language::Portuguese))
        ));
        let other = feeds.of(&reader(2, Language::English));
        drop(first);
        let _third = feeds.of(&reader(3, Language::English));
        assert_eq!(feeds.0.lock().unwrap().len(), 2, "unused feeds are removed");
        drop(other);
    }
}
