//! The journal: every event of a merchant, in the order of the commits.
//!
//! Each matrix has a journal of its own, which holds its branches' events too. A place in it is given within the transaction that
//! writes the event, by counting up one row of that journal: a transaction that writes later waits for that row. So an event
//! never appears behind a place that somebody has read already, on a database with one writer as on one with many. What waits is
//! one merchant's writes, which wait for its balance anyway.

use super::RecordedEvent;
use crate::model::{StoreId, store::Store};

/// Which part of which journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Journal {
    /// The matrix whose journal it is.
    pub matrix: StoreId,
    /// The one branch whose events are looked at; `None` for all.
    pub branch: Option<StoreId>,
}

/// An event at its place in its merchant's journal.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct JournalEntry {
    /// 1, 2, 3 and so on; a branch sees gaps where other stores of its merchant have theirs.
    pub place: u64,
    /// The event.
    pub recorded: RecordedEvent,
}

impl Journal {
    /// What a store may see: a matrix everything, a branch its own.
    pub fn of(store: &Store) -> Journal {
        Journal { matrix: store.merchant(), branch: (!store.is_matrix()).then_some(store.id) }
    }

    /// The store that looks.
    pub fn reader(self) -> StoreId {
        self.branch.unwrap_or(self.matrix)
    }

    /// The text that takes up after a place: `17-1000`. It names the reader, so that a cursor that went astray is noticed; it
    /// opens nothing, since what is read is always the caller's own.
    ///
    /// ```
    /// use despacho_core::model::{StoreId, order::Journal};
    /// let journal = Journal { matrix: StoreId::new(1000).unwrap(), branch: None };
    /// assert_eq!(journal.cursor(17), "17-1000");
    /// assert_eq!(journal.place("17-1000"), Some(17));
    /// assert_eq!(journal.place("0"), Some(0));
    /// assert_eq!(journal.place("17-1001"), None);
    /// ```
    pub fn cursor(self, place: u64) -> String {
        format!("{place}-{}", self.reader())
    }

    /// The place in a cursor of this reader's; `0` is the beginning for everybody.
    pub fn place(self, cursor: &str) -> Option<u64> {
        if cursor == "0" {
            return Some(0);
        }
        let (place, store) = cursor.split_once('-')?;
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() <= 16;
        let place = Some(place).filter(|place| plain(place))?.parse().ok().filter(|place| *place < 1 << 53)?;
        (StoreId::parse(store) == Some(self.reader())).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_its_readers_alone() {
        let id = |number| StoreId::new(number).unwrap();
        let matrix = Journal { matrix: id(7), branch: None };
        let branch = Journal { branch: Some(id(8)), ..matrix };
        assert_eq!(branch.place(&branch.cursor(3)), Some(3));
        for bad in ["", "3", "3-", "-8", "+3-8", "3-8-", "3-08", "3-7", "9007199254740992-8", "x-8", "3-8 "] {
            assert_eq!(branch.place(bad), None, "{bad}");
        }
        assert_eq!(matrix.place("3-7"), Some(3));
    }
}
