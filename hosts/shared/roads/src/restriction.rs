//! Turns that a sign forbids or commands.

use crate::pbf::{Member, Relation};

/// One turn restriction, with ids of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Restriction {
    pub(crate) from: i64,
    pub(crate) via: Via,
    pub(crate) to: i64,
    /// Whether the turn is the only one allowed, rather than the one forbidden.
    pub(crate) only: bool,
}

/// Where a restricted turn happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    Node(i64),
    /// Over a way, as a U-turn between two carriageways is.
    Way(i64),
}

/// The restrictions that a relation states for cars; several where several roads lead in or out.
pub(crate) fn restrictions(relation: &Relation<'_>) -> Vec<Restriction> {
    let tags = &relation.tags;
    if !tags.get("type").is_some_and(|kind| kind.starts_with("restriction")) {
        return Vec::new();
    }
    let spared =
        |list: &str| list.split(';').any(|kind| matches!(kind.trim(), "motorcar" | "motor_vehicle" | "vehicle"));
    if tags.get("except").is_some_and(spared) {
        return Vec::new();
    }
    let own = ["motorcar", "motor_vehicle", "vehicle"].iter().find_map(|kind| tags.suffixed("restriction", kind));
    let only = match own.or_else(|| tags.get("restriction")) {
        Some(sign) if sign.starts_with("only_") => true,
        Some(sign) if sign.starts_with("no_") => false,
        _ => return Vec::new(),
    };
    let ways = |wanted: &str| {
        let fits = relation.members.iter().filter(|member| member.1 == wanted);
        fits.filter_map(|member| if let Member::Way(id) = member.0 { Some(id) } else { None }).collect::<Vec<_>>()
    };
    let vias: Vec<Member> = relation.members.iter().filter(|member| member.1 == "via").map(|member| member.0).collect();
    let via = match vias[..] {
        [Member::Node(id)] => Via::Node(id),
        [Member::Way(id)] => Via::Way(id),
        _ => return Vec::new(),
    };
    let (from, to) = (ways("from"), ways("to"));
    // A command with two aims commands nothing.
    if only && (from.len() != 1 || to.len() != 1) {
        return Vec::new();
    }
    let turns = from.iter().flat_map(|from| to.iter().map(move |to| (*from, *to)));
    turns.map(|(from, to)| Restriction { from, via: via.clone(), to, only }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pbf::Tags;

    fn relation(mut tags: Vec<(&'static str, &'static str)>) -> Relation<'static> {
        tags.push(("type", "restriction"));
        let members = vec![(Member::Way(1), "from"), (Member::Node(2), "via"), (Member::Way(3), "to")];
        Relation { tags: Tags::new(tags), members }
    }

    #[test]
    fn signs_forbid_or_command() {
        let left = restrictions(&relation(vec![("restriction", "no_left_turn")]));
        assert_eq!(left, [Restriction { from: 1, via: Via::Node(2), to: 3, only: false }]);
        assert!(restrictions(&relation(vec![("restriction", "only_straight_on")]))[0].only);
    }

    #[test]
    fn what_does_not_concern_cars_is_left_out() {
        assert_eq!(restrictions(&relation(vec![("restriction:hgv", "no_left_turn")])), []);
        assert_eq!(restrictions(&relation(vec![("restriction", "no_left_turn"), ("except", "psv;motorcar")])), []);
        assert_eq!(restrictions(&relation(vec![("restriction:conditional", "no_left_turn @ (07:00-09:00)")])), []);
        assert_eq!(restrictions(&relation(vec![("note", "no_left_turn")])), []);
    }

    #[test]
    fn several_roads_make_several_restrictions() {
        let mut entry = relation(vec![("restriction", "no_entry")]);
        entry.members.push((Member::Way(4), "from"));
        assert_eq!(restrictions(&entry).len(), 2);
        entry.members.push((Member::Way(5), "via"));
        assert_eq!(restrictions(&entry), []);
    }
}
