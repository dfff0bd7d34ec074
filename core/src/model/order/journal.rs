//! The journal: all events of a merchant, in commit order.
//!
//! Each parent store has its own journal, which includes its branches' events. The transaction that
//! writes an event assigns its position by incrementing one row of the journal, so concurrent
//! transactions wait for that row. An event therefore never appears before a position that a client
//! has already read, on databases with one or many writers. Only writes of the same merchant wait,
//! and these already wait for the merchant's balance.
//!
//! An archive contains event histories, not orders. The row of an ended order stays, because its
//! code must remain reserved, and ledger entries and lists refer to it. The events are most of its
//! bytes and are rarely read. Every order has at least one event, so an empty list means that the
//! events were archived. Ledger entries are never archived.
//!
//! The transaction that deletes archived events also stores their last position. An older cursor
//! returns 410 `events_archived`; only `0` starts after the gap. Events that a webhook still has to
//! send are not archived.

use super::RecordedEvent;
use crate::model::{StoreId, store::Store};

/// A journal, or one branch's events in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Journal {
    /// The parent store that owns the journal.
    pub merchant: StoreId,
    /// The branch to which the view is limited, or `None`.
    pub branch: Option<StoreId>,
}

/// An event and its position in its merchant's journal.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct JournalEntry {
    /// Position: 1, 2, 3 and so on. In a branch's view, the positions of other stores' events are
    /// missing.
    #[serde(rename = "place")]
    pub position: u64,
    /// The event.
    pub recorded: RecordedEvent,
}

impl Journal {
    /// Returns the view of a store: everything for a parent store, only its own events for a
    /// branch.
    pub fn of(store: &Store) -> Journal {
        Journal {
            merchant: store.merchant(),
            branch: (!store.is_parent()).then_some(store.id),
        }
    }

    /// Returns the store to which the view belongs.
    pub fn reader(self) -> StoreId {
        self.branch.unwrap_or(self.merchant)
    }

    /// Formats the cursor after a position: `17-1000`. The cursor contains the store's ID, which
    /// detects cursors of other stores. It grants no access, because a store can read only its own
    /// events.
    ///
    /// ```
    /// use despacho_core::model::{StoreId, order::Journal};
    /// let journal = Journal { merchant: StoreId::new(1000).unwrap(), branch: None };
    /// assert_eq!(journal.cursor(17), "17-1000");
    /// assert_eq!(journal.position("17-1000"), Some(17));
    /// assert_eq!(journal.position("0"), Some(0));
    /// assert_eq!(journal.position("17-1001"), None);
    /// ```
    pub fn cursor(self, position: u64) -> String {
        format!("{position}-{}", self.reader())
    }

    /// Parses a cursor of this view into a position. `0` is the beginning of every view.
    pub fn position(self, cursor: &str) -> Option<u64> {
        if cursor == "0" {
            return Some(0);
        }
        let (position, store) = cursor.split_once('-')?;
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() <= 16;
        let position = Some(position)
            .filter(|position| plain(position))?
            .parse()
            .ok()
            .filter(|position| *position < 1 << 53)?;
        (StoreId::parse(store) == Some(self.reader())).then_some(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_of_another_store_is_rejected() {
        let id = |number| StoreId::new(number).unwrap();
        let parent = Journal {
            merchant: id(7),
            branch: None,
        };
        let branch = Journal {
            branch: Some(id(8)),
            ..parent
        };
        assert_eq!(branch.position(&branch.cursor(3)), Some(3));
        for bad in [
            "",
            "3",
            "3-",
            "-8",
            "+3-8",
            "3-8-",
            "3-08",
            "3-7",
            "9007199254740992-8",
            "x-8",
            "3-8 ",
        ] {
            assert_eq!(branch.position(bad), None, "{bad}");
        }
        assert_eq!(parent.position("3-7"), Some(3));
    }
}
