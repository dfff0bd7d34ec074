//! Legs on small networks with known distances.

use despacho_core::model::Point;
use despacho_roads::testing::{Form, Sketch, at};
use despacho_roads::{RoadLeg, Roads, RoadsError, SNAP_LIMIT_M};

/// A square of streets with sides of 400 m: nodes 1 and 2 in the north, 4 and 3 in the south, ways
/// 12, 23, 34 and 41. A dead end of 100 m leads west from the south-western corner and allows
/// U-turns.
fn square() -> Sketch {
    let mut sketch = corners();
    sketch
        .street(12, &[1, 2])
        .street(23, &[2, 3])
        .street(34, &[3, 4])
        .street(41, &[4, 1]);
    sketch
}

fn corners() -> Sketch {
    let mut sketch = Sketch::new();
    sketch
        .node(1, 400.0, 0.0, &[])
        .node(2, 400.0, 400.0, &[])
        .node(3, 0.0, 400.0, &[])
        .node(4, 0.0, 0.0, &[]);
    sketch.node(49, 0.0, -100.0, &[]).street(49, &[4, 49]);
    sketch
}

fn legs(roads: &Roads, from: Point, to: Point) -> (Option<u32>, Option<u32>) {
    let matrix = roads.matrix(&[from, to]);
    assert_eq!(
        matrix.leg(0, 0),
        matrix.is_snapped(0).then(RoadLeg::default)
    );
    (
        matrix.leg(0, 1).map(|leg| leg.metres),
        matrix.leg(1, 0).map(|leg| leg.metres),
    )
}

fn near(found: Option<u32>, metres: u32) -> bool {
    found.is_some_and(|found| found.abs_diff(metres) <= 2)
}

fn near_both_ways(found: (Option<u32>, Option<u32>), there: u32, back: u32) -> bool {
    near(found.0, there) && near(found.1, back)
}

#[test]
fn leg_follows_road() {
    let roads = square().roads().expect("roads");
    // From the middle of the northern street to the middle of the southern one, around either side.
    let found = legs(&roads, at(400.0, 200.0), at(0.0, 200.0));
    assert!(near_both_ways(found, 800, 800), "{found:?}");
    let found = legs(&roads, at(420.0, 100.0), at(390.0, 150.0));
    assert!(near_both_ways(found, 50, 50), "{found:?}");
    assert_eq!(roads.matrix(&[]).size(), 0);
}

#[test]
fn leg_follows_bend() {
    let mut sketch = Sketch::new();
    sketch
        .node(1, 0.0, 0.0, &[])
        .node(2, 300.0, 0.0, &[])
        .node(3, 300.0, 400.0, &[])
        .street(1, &[1, 2, 3]);
    let found = legs(
        &sketch.roads().expect("roads"),
        at(0.0, 0.0),
        at(300.0, 400.0),
    );
    assert!(near_both_ways(found, 700, 700), "{found:?}");
}

#[test]
fn oneway_is_respected_in_every_notation() {
    for (nodes, oneway) in [([1, 2], "yes"), ([2, 1], "-1"), ([1, 2], "true")] {
        let mut sketch = corners();
        sketch.way(
            12,
            &nodes,
            &[("highway", "residential"), ("oneway", oneway)],
        );
        sketch
            .street(23, &[2, 3])
            .street(34, &[3, 4])
            .street(41, &[4, 1]);
        let found = legs(
            &sketch.roads().expect("roads"),
            at(400.0, 100.0),
            at(400.0, 300.0),
        );
        assert!(near_both_ways(found, 200, 1_400), "{oneway}: {found:?}");
    }
}

#[test]
fn roundabout_is_oneway() {
    let mut sketch = corners();
    sketch.way(
        1,
        &[1, 2, 3, 4, 1],
        &[("highway", "tertiary"), ("junction", "roundabout")],
    );
    sketch.node(5, 800.0, 0.0, &[]).street(5, &[1, 5]);
    let found = legs(
        &sketch.roads().expect("roads"),
        at(400.0, 200.0),
        at(200.0, 400.0),
    );
    assert!(near_both_ways(found, 400, 1_200), "{found:?}");
    // Against the direction of one segment.
    let found = legs(
        &sketch.roads().expect("roads"),
        at(400.0, 300.0),
        at(400.0, 100.0),
    );
    assert!(near_both_ways(found, 1_400, 200), "{found:?}");
}

#[test]
fn forbidden_and_mandatory_turns_force_detour() {
    let mut sketch = square();
    // A detour in the east: from the north-eastern to the south-eastern corner.
    sketch
        .node(5, 400.0, 800.0, &[])
        .node(6, 0.0, 800.0, &[])
        .street(25, &[2, 5])
        .street(56, &[5, 6])
        .street(63, &[6, 3]);
    let ends = (at(400.0, 200.0), at(200.0, 400.0));
    assert!(near_both_ways(
        legs(&sketch.roads().expect("roads"), ends.0, ends.1),
        400,
        400
    ));
    for (sign, to) in [("no_right_turn", 23), ("only_straight_on", 25)] {
        let mut signed = sketch.clone();
        signed.restriction(sign, 12, 2, to, false);
        let found = legs(&signed.roads().expect("roads"), ends.0, ends.1);
        // Around the western side, which is shorter than the eastern one.
        assert!(near_both_ways(found, 1_200, 400), "{sign}: {found:?}");
    }
    let mut mistaken = sketch.clone();
    mistaken
        .restriction("no_right_turn", 12, 4, 23, false)
        .restriction("no_left_turn", 99, 2, 23, false);
    assert!(near_both_ways(
        legs(&mistaken.roads().expect("roads"), ends.0, ends.1),
        400,
        400
    ));
}

#[test]
fn via_way_restriction_applies_only_from_its_way() {
    let mut sketch = square();
    sketch
        .node(5, 800.0, 400.0, &[])
        .node(6, 400.0, -400.0, &[])
        .street(25, &[2, 5])
        .street(61, &[6, 1]);
    sketch.street(56, &[5, 6]);
    // From the west along the northern side to the south.
    let (west, north, south) = (at(400.0, -200.0), at(400.0, 200.0), at(200.0, 400.0));
    let free = sketch.roads().expect("roads");
    assert!(near_both_ways(legs(&free, west, south), 800, 800));
    sketch.restriction("no_right_turn", 61, 12, 23, true);
    let signed = sketch.roads().expect("roads");
    let found = legs(&signed, west, south);
    assert!(
        found.0.is_some_and(|metres| metres > 1_000) && near(found.1, 800),
        "{found:?}"
    );
    // The restriction does not apply to trips that start or end on the via way.
    assert!(near_both_ways(legs(&signed, north, south), 400, 400));
    assert!(near_both_ways(legs(&signed, west, north), 400, 400));
}

#[test]
fn points_are_not_snapped_to_islands() {
    let mut sketch = square();
    sketch
        .node(7, 500.0, 0.0, &[])
        .node(8, 500.0, 400.0, &[])
        .street(78, &[7, 8]);
    let roads = sketch.roads().expect("roads");
    // 90 m from the island, 110 m from the network.
    let found = legs(&roads, at(495.0, 100.0), at(400.0, 300.0));
    assert!(near_both_ways(found, 200, 200), "{found:?}");
    sketch
        .node(9, 5_000.0, 0.0, &[])
        .node(10, 5_000.0, 400.0, &[])
        .street(90, &[9, 10]);
    let lost = sketch
        .roads()
        .expect("roads")
        .matrix(&[at(5_000.0, 200.0), at(0.0, 0.0)]);
    assert!(!lost.is_snapped(0) && lost.leg(0, 1).is_none() && lost.leg(1, 0).is_none());
}

#[test]
fn far_point_has_no_legs() {
    let roads = square().roads().expect("roads");
    let points = [
        at(200.0, 0.0),
        at(400.0 + SNAP_LIMIT_M - 5.0, 200.0),
        at(400.0 + SNAP_LIMIT_M + 5.0, 200.0),
    ];
    let matrix = roads.matrix(&points);
    assert_eq!(
        [0, 1, 2].map(|point| matrix.is_snapped(point)),
        [true, true, false]
    );
    assert_eq!(
        (matrix.leg(0, 2), matrix.leg(2, 0), matrix.leg(2, 2)),
        (None, None, None)
    );
    assert!(matrix.leg(0, 1).is_some() && matrix.leg(3, 0).is_none() && !matrix.is_snapped(3));
    for (latitude, longitude) in [
        (0.0, 0.0),
        (-3.119, -60.0217),
        (90.0, 180.0),
        (-90.0, -180.0),
        (-46.63, -23.55),
    ] {
        let far = Point::from_degrees(latitude, longitude).expect("a valid coordinate");
        assert!(
            !roads.matrix(&[far]).is_snapped(0),
            "{latitude} {longitude}"
        );
    }
}

#[test]
fn point_outside_area_is_not_snapped() {
    let mut sketch = square();
    sketch.bounds(-100.0, -100.0, 300.0, 500.0);
    let roads = sketch.roads().expect("roads");
    assert!(!roads.matrix(&[at(400.0, 200.0)]).is_snapped(0));
    assert!(roads.matrix(&[at(200.0, 0.0)]).is_snapped(0));
    assert_eq!(roads.area().0, at(-100.0, -100.0));
}

#[test]
fn barriers_block_and_gates_delay() {
    let bent = |tags: &[(&str, &str)]| {
        let mut sketch = corners();
        sketch.node(7, 400.0, 200.0, tags);
        sketch
            .street(12, &[1, 7, 2])
            .street(23, &[2, 3])
            .street(34, &[3, 4])
            .street(41, &[4, 1]);
        sketch
            .roads()
            .expect("roads")
            .matrix(&[at(400.0, 100.0), at(400.0, 300.0)])
    };
    let free = bent(&[]).leg(0, 1).expect("a leg");
    assert_eq!(free.metres, 200);
    assert!(
        bent(&[("barrier", "bollard")])
            .leg(0, 1)
            .is_some_and(|leg| leg.metres.abs_diff(1_400) <= 2)
    );
    let gate = bent(&[("barrier", "gate")]).leg(0, 1).expect("a leg");
    // A segment that is split in two is rounded twice.
    assert_eq!(
        (gate.metres, gate.ms.abs_diff(free.ms + 60_000) <= 1),
        (200, true)
    );
    let signals = bent(&[("highway", "traffic_signals")])
        .leg(0, 1)
        .expect("a leg");
    assert_eq!(
        (signals.metres, signals.ms.abs_diff(free.ms + 2_000) <= 1),
        (200, true)
    );
    let facing = bent(&[
        ("highway", "traffic_signals"),
        ("traffic_signals:direction", "backward"),
    ]);
    assert!(
        facing
            .leg(0, 1)
            .is_some_and(|leg| leg.ms.abs_diff(free.ms) <= 1)
    );
    assert!(
        facing
            .leg(1, 0)
            .is_some_and(|leg| leg.ms.abs_diff(free.ms + 2_000) <= 1)
    );
}

#[test]
fn leg_is_fastest_not_shortest() {
    let mut sketch = corners();
    let (slow, fast) = (
        [("highway", "residential"), ("maxspeed", "10")],
        [("highway", "primary"), ("maxspeed", "60")],
    );
    sketch
        .way(12, &[1, 2], &slow)
        .way(23, &[2, 3], &fast)
        .way(34, &[3, 4], &fast)
        .way(41, &[4, 1], &fast);
    let roads = sketch.roads().expect("roads");
    let leg = roads
        .matrix(&[at(400.0, 0.0), at(400.0, 400.0)])
        .leg(0, 1)
        .expect("a leg");
    // 1,200 m at 80 per cent of 60 km/h, plus two right turns.
    assert!(
        leg.metres.abs_diff(1_200) <= 2 && (90_000..110_000).contains(&leg.ms),
        "{leg:?}"
    );
}

#[test]
fn private_road_is_not_passed_through() {
    let mut sketch = corners();
    sketch.way(
        12,
        &[1, 2],
        &[("highway", "residential"), ("access", "private")],
    );
    sketch
        .street(23, &[2, 3])
        .street(34, &[3, 4])
        .street(41, &[4, 1]);
    let roads = sketch.roads().expect("roads");
    let through = legs(&roads, at(390.0, 0.0), at(390.0, 400.0));
    assert!(near_both_ways(through, 1_180, 1_180), "{through:?}");
    assert!(near_both_ways(
        legs(&roads, at(300.0, 0.0), at(400.0, 100.0)),
        200,
        200
    ));
}

#[test]
fn every_encoding_gives_equal_legs() {
    let mut sketch = square();
    sketch
        .restriction("no_right_turn", 12, 2, 23, false)
        .bounds(-100.0, -100.0, 500.0, 500.0);
    let points = [at(400.0, 200.0), at(200.0, 400.0), at(10.0, 10.0)];
    let forms = [(true, true), (true, false), (false, true), (false, false)];
    let matrices: Vec<_> = forms
        .iter()
        .map(|(dense, packed)| {
            sketch.bytes(Form {
                dense: *dense,
                packed: *packed,
            })
        })
        .map(|bytes| Roads::from_bytes(&bytes).expect("roads").matrix(&points))
        .collect();
    assert!(matrices.iter().all(|matrix| *matrix == matrices[0]));
}

/// Returns the square with signals, a restriction, a node outside the extract and IDs around zero,
/// as editors number new elements.
fn square_with_negative_ids() -> Sketch {
    let mut sketch = Sketch::new();
    sketch
        .node(-1, 400.0, 0.0, &[])
        .node(2, 400.0, 400.0, &[("highway", "traffic_signals")]);
    sketch
        .node(-3, 0.0, 400.0, &[])
        .node(4, 0.0, 0.0, &[])
        .node(-49, 0.0, -100.0, &[])
        .street(49, &[4, -49]);
    sketch
        .street(-12, &[-1, 2])
        .street(-23, &[2, -3])
        .street(34, &[-3, 4])
        .street(-41, &[4, -1, -77]);
    sketch
        .restriction("no_right_turn", -12, 2, -23, false)
        .bounds(-200.0, -200.0, 500.0, 500.0);
    sketch
}

#[test]
fn every_legal_layout_gives_equal_legs() {
    let points = [at(400.0, 200.0), at(200.0, 400.0), at(10.0, 10.0)];
    let expected = square_with_negative_ids()
        .roads()
        .expect("roads")
        .matrix(&points);
    assert!(
        near(expected.leg(0, 1).map(|leg| leg.metres), 1_200),
        "the restriction applies: {expected:?}"
    );
    let layouts: [fn(&mut Sketch) -> &mut Sketch; 4] = [
        |sketch| sketch.unsorted(),
        |sketch| sketch.locations_on_ways(),
        |sketch| sketch.unsorted().locations_on_ways(),
        |sketch| {
            sketch
                .optional("Has_Metadata")
                .optional("Sort.Type_then_ID")
                .optional("timestamp=2026-11-29T00:00:00Z")
        },
    ];
    for (index, layout) in layouts.iter().enumerate() {
        for (dense, packed) in [(true, true), (false, false)] {
            let bytes = layout(&mut square_with_negative_ids()).bytes(Form { dense, packed });
            let roads = Roads::from_bytes(&bytes).expect("roads");
            assert!(
                roads.matrix(&points) == expected,
                "layout {index}, dense {dense}"
            );
        }
    }
}

#[test]
fn unknown_features_are_rejected_by_name() {
    let error = |sketch: &mut Sketch| sketch.roads().expect_err("an unknown feature").to_string();
    for name in ["HistoricalInformation", "Geometry3D"] {
        let required = error(square().feature(name));
        let optional = error(square().optional(name));
        for text in [required, optional] {
            assert!(
                text.contains(&format!("uses the feature {name}, which is not supported")),
                "{text}"
            );
        }
    }
}

#[test]
fn way_with_missing_node_is_split() {
    let mut sketch = square();
    sketch.street(99, &[1, 77, 2]);
    assert!(near_both_ways(
        legs(
            &sketch.roads().expect("roads"),
            at(400.0, 0.0),
            at(400.0, 400.0)
        ),
        400,
        400
    ));
}

#[test]
fn extract_without_network_is_rejected() {
    assert!(matches!(Sketch::new().roads(), Err(RoadsError::NoRoads)));
    let mut paths = Sketch::new();
    paths.node(1, 0.0, 0.0, &[]).node(2, 0.0, 100.0, &[]).way(
        1,
        &[1, 2],
        &[("highway", "footway")],
    );
    assert!(matches!(paths.roads(), Err(RoadsError::NoRoads)));
    let mut one_way = Sketch::new();
    one_way.node(1, 0.0, 0.0, &[]).node(2, 0.0, 100.0, &[]);
    one_way.way(1, &[1, 2], &[("highway", "residential"), ("oneway", "yes")]);
    assert!(matches!(one_way.roads(), Err(RoadsError::NoRoads)));
    assert!(matches!(
        square().feature("HistoricalInformation").roads(),
        Err(RoadsError::Unsupported(_))
    ));
}
