//! Turn restrictions.

use crate::pbf::{Member, Relation};

/// A turn restriction with IDs of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Restriction {
    pub(crate) from: i64,
    pub(crate) via: Via,
    pub(crate) to: i64,
    /// Whether the turn is mandatory (`only_…`) instead of forbidden (`no_…`).
    pub(crate) only: bool,
}

/// The node or way of a turn restriction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    Node(i64),
    /// A way, for example of a U-turn between two carriageways.
    Way(i64),
}

/// Returns the restrictions of a relation that apply to cars. A relation with several `from` or
/// `to` ways gives several.
pub(crate) fn restrictions(relation: &Relation<'_>) -> Vec<Restriction> {
    let tags = &relation.tags;
    if !tags
        .get("type")
        .is_some_and(|kind| kind.starts_with("restriction"))
    {
        return Vec::new();
    }
    let exempts_cars = |list: &str| {
        list.split(';')
            .any(|kind| matches!(kind.trim(), "motorcar" | "motor_vehicle" | "vehicle"))
    };
    if tags.get("except").is_some_and(exempts_cars) {
        return Vec::new();
    }
    let own = ["motorcar", "motor_vehicle", "vehicle"]
        .iter()
        .find_map(|kind| tags.suffixed("restriction", kind));
    let only = match own.or_else(|| tags.get("restriction")) {
        Some(sign) if sign.starts_with("only_") => true,
        Some(sign) if sign.starts_with("no_") => false,
        _ => return Vec::new(),
    };
    let ways = |wanted: &str| {
        let fits = relation.members.iter().filter(|member| member.1 == wanted);
        fits.filter_map(|member| {
            if let Member::Way(id) = member.0 {
                Some(id)
            } else {
                None
            }
        })
        .collect::<Vec<_>>()
    };
    let vias: Vec<Member> = relation
        .members
        .iter()
        .filter(|member| member.1 == "via")
        .map(|member| member.0)
        .collect();
    let via = match vias[..] {
        [Member::Node(id)] => Via::Node(id),
        [Member::Way(id)] => Via::Way(id),
        _ => return Vec::new(),
    };
    let (from, to) = (ways("from"), ways("to"));
    // A mandatory turn with two destinations is invalid.
    if only && (from.len() != 1 || to.len() != 1) {
        return Vec::new();
    }
    let turns = from
        .iter()
        .flat_map(|from| to.iter().map(move |to| (*from, *to)));
    turns
        .map(|(from, to)| Restriction {
            from,
            via: via.clone(),
            to,
            only,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pbf::Tags;

    fn relation(mut tags: Vec<(&'static str, &'static str)>) -> Relation<'static> {
        tags.push(("type", "restriction"));
        let members = vec![
            (Member::Way(1), "from"),
            (Member::Node(2), "via"),
            (Member::Way(3), "to"),
        ];
        Relation {
            id: 1,
            tags: Tags::new(tags),
            members,
        }
    }

    #[test]
    fn restriction_forbids_or_mandates_turn() {
        let left = restrictions(&relation(vec![("restriction", "no_left_turn")]));
        assert_eq!(
            left,
            [Restriction {
                from: 1,
                via: Via::Node(2),
                to: 3,
                only: false
            }]
        );
        assert!(restrictions(&relation(vec![("restriction", "only_straight_on")]))[0].only);
    }

    #[test]
    fn restriction_for_other_vehicles_is_ignored() {
        assert_eq!(
            restrictions(&relation(vec![("restriction:hgv", "no_left_turn")])),
            []
        );
        assert_eq!(
            restrictions(&relation(vec![
                ("restriction", "no_left_turn"),
                ("except", "psv;motorcar")
            ])),
            []
        );
        assert_eq!(
            restrictions(&relation(vec![(
                "restriction:conditional",
                "no_left_turn @ (07:00-09:00)"
            )])),
            []
        );
        assert_eq!(restrictions(&relation(vec![("note", "no_left_turn")])), []);
    }

    #[test]
    fn several_from_ways_return_several_restrictions() {
        let mut entry = relation(vec![("restriction", "no_entry")]);
        entry.members.push((Member::Way(4), "from"));
        assert_eq!(restrictions(&entry).len(), 2);
        entry.members.push((Member::Way(5), "via"));
        assert_eq!(restrictions(&entry), []);
    }
}
