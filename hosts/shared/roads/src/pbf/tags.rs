//! The tags of an element.

/// The tags of one element. A key appears once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tags<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Tags<'a> {
    pub(crate) fn new(pairs: Vec<(&'a str, &'a str)>) -> Tags<'a> {
        Tags(pairs)
    }

    /// Returns the keys with their values.
    pub(crate) fn pairs(&self) -> &[(&'a str, &'a str)] {
        &self.0
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find(|pair| pair.0 == key).map(|pair| pair.1)
    }

    pub(crate) fn is(&self, key: &str, value: &str) -> bool {
        self.get(key) == Some(value)
    }

    /// Returns the value of `key:suffix`.
    pub(crate) fn suffixed(&self, key: &str, suffix: &str) -> Option<&'a str> {
        let matches = |name: &str| {
            name.strip_prefix(key)
                .and_then(|rest| rest.strip_prefix(':'))
                .is_some_and(|rest| rest == suffix)
        };
        self.0
            .iter()
            .find(|pair| matches(pair.0))
            .map(|pair| pair.1)
    }

    /// Returns the value for each direction, forward and backward, from the first key that has one.
    /// A key for one direction takes precedence.
    pub(crate) fn by_direction(&self, keys: &[&str]) -> (Option<&'a str>, Option<&'a str>) {
        let (mut forward, mut backward) = (None, None);
        for key in keys {
            forward = forward.or_else(|| self.suffixed(key, "forward"));
            backward = backward.or_else(|| self.suffixed(key, "backward"));
            let common = self.get(key);
            (forward, backward) = (forward.or(common), backward.or(common));
        }
        (forward, backward)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directed_key_precedes_common_key() {
        let tags = Tags::new(vec![
            ("maxspeed", "60"),
            ("maxspeed:forward", "40"),
            ("source", "x"),
        ]);
        assert_eq!(
            tags.by_direction(&["maxspeed:advisory", "maxspeed"]),
            (Some("40"), Some("60"))
        );
        assert_eq!(tags.by_direction(&["width"]), (None, None));
        assert_eq!(tags.suffixed("maxspeed", "forward"), Some("40"));
        assert!(tags.is("source", "x") && !tags.is("source", "y"));
    }
}
