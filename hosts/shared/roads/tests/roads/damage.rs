//! Damaged files are rejected and never cause a panic.

use despacho_core::model::Point;
use despacho_roads::testing::Rng;
use despacho_roads::testing::{Form, Sketch, at};
use despacho_roads::{Roads, RoadsError};

fn file(packed: bool) -> Vec<u8> {
    let mut sketch = Sketch::new();
    sketch
        .node(1, 0.0, 0.0, &[("highway", "stop")])
        .node(2, 0.0, 300.0, &[])
        .node(3, 300.0, 300.0, &[]);
    sketch
        .street(12, &[1, 2])
        .street(23, &[2, 3])
        .street(31, &[3, 1])
        .restriction("no_left_turn", 12, 2, 23, false);
    sketch
        .restriction("no_u_turn", 12, 23, 31, true)
        .bounds(-100.0, -100.0, 400.0, 400.0);
    sketch.bytes(Form {
        dense: packed,
        packed,
    })
}

#[test]
fn invalid_extract_is_rejected() {
    for bytes in [&b""[..], b"not an extract at all", &[0; 100], &[0xff; 100]] {
        assert!(
            matches!(
                Roads::from_bytes(bytes),
                Err(RoadsError::Damaged { block: 0, .. })
            ),
            "{bytes:?}"
        );
    }
    let nowhere = std::env::temp_dir()
        .join("no-such-folder")
        .join("no.osm.pbf");
    assert!(matches!(Roads::load(&nowhere), Err(RoadsError::Read(_))));
}

#[test]
fn truncated_extract_is_rejected() {
    for packed in [true, false] {
        let whole = file(packed);
        assert!(Roads::from_bytes(&whole).is_ok());
        for length in 0..whole.len() {
            let found = Roads::from_bytes(&whole[..length]);
            // At a block boundary, truncation is not detectable: nodes, ways or restrictions are
            // missing.
            let text = found
                .as_ref()
                .map_or_else(ToString::to_string, |roads| format!("{roads:?}"));
            let cut = matches!(found, Err(RoadsError::Damaged { .. }));
            assert!(
                cut || is_boundary(&whole, length),
                "{length} of {}: {text}",
                whole.len()
            );
        }
    }
}

/// Returns whether a block ends at this length.
fn is_boundary(file: &[u8], length: usize) -> bool {
    let mut at = 0;
    while at < length {
        let Some(head) = file.get(at..at + 4) else {
            return false;
        };
        let header = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        // The header's last field is the length of the blob.
        let fields = &file[at + 4..at + 4 + header];
        let start = fields
            .iter()
            .rposition(|byte| *byte == 0x18)
            .expect("a length");
        let size = fields[start + 1..]
            .iter()
            .rev()
            .fold(0, |size, byte| size << 7 | usize::from(byte & 0x7f));
        at += 4 + header + size;
    }
    at == length
}

#[test]
fn flipped_bits_never_panic() {
    let mut rng = Rng::new(11);
    let points: Vec<Point> = (0..5)
        .map(|step| at(f64::from(step) * 60.0, 100.0))
        .collect();
    let mut rejected = 0;
    for packed in [true, false] {
        let whole = file(packed);
        for _ in 0..3_000 {
            let mut bytes = whole.clone();
            for _ in 0..1 + random_below(&mut rng, 4) {
                let index = random_below(&mut rng, bytes.len());
                bytes[index] ^= 1 << random_below(&mut rng, 8);
            }
            match Roads::from_bytes(&bytes) {
                Ok(roads) => assert_eq!(roads.matrix(&points).size(), points.len()),
                Err(error) => {
                    rejected += 1;
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
    assert!(rejected > 2_000, "{rejected}");
}

fn random_below(rng: &mut Rng, below: usize) -> usize {
    let below_float = f64::from(u32::try_from(below).expect("a short file"));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a fraction of a small number"
    )]
    let random = (rng.next_f64() * below_float) as usize;
    random.min(below - 1)
}
