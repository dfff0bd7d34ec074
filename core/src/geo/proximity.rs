//! The distance of two addresses that their texts show, where at least one of them is located only
//! roughly.
//!
//! Without a gazetteer of streets, two addresses of a city have the same location: the municipal
//! seat. Their typical distance in a large city is 11 km, although addresses with the same CEP are
//! neighbours. The figures below are straight-line distances between pairs of 5,000 addresses of
//! São Paulo, and between the CEP5s of São Paulo and Rio de Janeiro.

use super::{
    Gazetteer, Municipality, StreetKey, detour::leg_over, names::plain, street_key, street_number,
};
use crate::model::{Address, DistanceMatrix, Located, Precision};

/// Mean distance in metres of two addresses with the same CEP. 99 % are within 1,261 m.
const SAME_CEP_M: u32 = 250;
/// Mean distance of two addresses with the same first five digits of the CEP.
const SAME_CEP5_M: u32 = 360;
/// Mean distance of two addresses of the same neighbourhood.
const SAME_NEIGHBOURHOOD_M: u32 = 1_270;
/// Mean distance of two addresses of the same street, without their numbers.
const SAME_STREET_M: u32 = 490;
/// Median distance of two addresses of the same street whose numbers differ by less than 50.
const NEXT_DOOR_M: u32 = 40;
/// A town with at most this many CEP5s has one CEP for all of its streets.
const MAX_CEP5S_OF_GENERAL_CEP: u32 = 10;
/// Maximum radius of the town from which a typical distance follows, as for [`super::leg_located`].
const MAX_RADIUS_M: u32 = 6_000;

/// What the text of an address says about where it is.
#[derive(Clone, Debug)]
pub struct WrittenPlace {
    town: Option<Municipality>,
    street: Option<StreetKey>,
    number: Option<u32>,
    neighbourhood: String,
    cep: Option<u32>,
}

impl WrittenPlace {
    /// Reads the text of an address. Its municipality is that of its city and state, or else of its
    /// CEP.
    pub fn of(gazetteer: Gazetteer, address: &Address) -> WrittenPlace {
        let cep = address.cep();
        let named = address
            .city
            .as_deref()
            .zip(address.uf())
            .and_then(|(city, uf)| gazetteer.municipality(city, uf));
        WrittenPlace {
            town: named.or_else(|| gazetteer.municipality_by_cep(cep?)),
            street: address.street.as_deref().and_then(street_key),
            number: address.number.as_deref().and_then(street_number),
            neighbourhood: plain(address.neighborhood.as_deref().unwrap_or_default()),
            cep: cep.map(|cep| cep.number()),
        }
    }

    /// Returns the expected straight-line distance in metres that both texts show; `None` if they
    /// have nothing in common. Every part that they share can only reduce it, so an address never
    /// moves away because its text becomes more complete.
    fn distance_m(&self, other: &WrittenPlace) -> Option<u32> {
        let town = self.town.filter(|town| other.town == Some(*town))?;
        let cep5s = town.cep5s();
        let ceps = self.cep.zip(other.cep);
        let is_general = |cep: u32| cep.is_multiple_of(1_000) && cep5s <= MAX_CEP5S_OF_GENERAL_CEP;
        let same_cep = ceps
            .filter(|(one, two)| one == two && !is_general(*one))
            .map(|_| SAME_CEP_M);
        let shares = |cep5s: u32| {
            ceps.is_some_and(|(one, two)| one / (1_000 * cep5s) == two / (1_000 * cep5s))
        };
        // The expected distance within a part of a town grows with the root of its share of the
        // town's CEP5s. The factor of 5 was fitted to the groups of 10 and 100 CEP5s of São Paulo
        // and Rio de Janeiro.
        let typical_m = 2 * u64::from(town.radius_m().min(MAX_RADIUS_M)).pow(2);
        let part = |size: u32| {
            let squared = typical_m * 5 * u64::from(size) / u64::from(cep5s.max(1));
            let metres = u32::try_from(squared.isqrt())
                .unwrap_or(u32::MAX)
                .max(SAME_CEP5_M);
            (shares(size) && cep5s > MAX_CEP5S_OF_GENERAL_CEP.max(5 * size)).then_some(metres)
        };
        let same_neighbourhood =
            !self.neighbourhood.is_empty() && self.neighbourhood == other.neighbourhood;
        let confirmed = same_neighbourhood || shares(10);
        let same_street = self
            .is_same_street(other)
            .then(|| match self.number.zip(other.number) {
                // Numbers count the metres from the start of a street in most cities. Streets of
                // the same name can be far apart.
                Some((one, two)) => one.abs_diff(two).max(if confirmed {
                    NEXT_DOOR_M
                } else {
                    SAME_STREET_M
                }),
                None => SAME_STREET_M,
            });
        let neighbourhood = same_neighbourhood.then_some(SAME_NEIGHBOURHOOD_M);
        [
            same_cep,
            part(1),
            part(10),
            part(100),
            neighbourhood,
            same_street,
        ]
        .into_iter()
        .flatten()
        .min()
    }

    fn is_same_street(&self, other: &WrittenPlace) -> bool {
        self.street.zip(other.street).is_some_and(|(one, two)| {
            one.hash == two.hash
                && one.title == two.title
                && (one.kind == two.kind || one.kind == 0 || two.kind == 0)
        })
    }
}

/// Replaces the legs between places that are nearer than their rough locations show, and marks
/// them. `texts` are those of `places`.
///
/// A leg is replaced only if it becomes shorter, and if one of its ends is rougher than what the
/// texts show.
pub fn with_texts(
    matrix: DistanceMatrix,
    places: &[Located],
    texts: &[WrittenPlace],
) -> DistanceMatrix {
    let size = matrix.size();
    let is_rough = |place: &Located| place.precision > Precision::Number;
    if !places.iter().any(is_rough) {
        return matrix;
    }
    let mut near = vec![None; size * size];
    for (row, (from, here)) in places.iter().zip(texts).enumerate() {
        for (column, (to, there)) in places
            .iter()
            .zip(texts)
            .enumerate()
            .filter(|(column, _)| *column != row)
        {
            let metres = here.distance_m(there);
            let metres = metres.filter(|metres| {
                [from, to]
                    .iter()
                    .any(|end| is_rough(end) && end.radius_m > *metres)
            });
            let leg = metres.map(leg_over);
            let is_shorter = |metres: u32| {
                matrix
                    .leg(row, column)
                    .is_none_or(|known| metres < known.metres)
            };
            near[row * size + column] = leg.filter(|leg| is_shorter(leg.metres));
        }
    }
    matrix.with_near(&near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo;

    fn address(street: &str, number: &str, neighbourhood: &str, city: &str, cep: &str) -> Address {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Address {
            street: text(street),
            number: text(number),
            neighborhood: text(neighbourhood),
            city: text(city),
            state: text("SP"),
            zip_code: text(cep),
            ..Address::default()
        }
    }

    /// Returns the length of the leg between two addresses that only their city locates.
    fn leg(one: &Address, two: &Address) -> u32 {
        let gazetteer = Gazetteer::embedded();
        let places = [one, two].map(|address| gazetteer.locate(address).expect("a known city"));
        let texts = [one, two].map(|address| WrittenPlace::of(gazetteer, address));
        let matrix = with_texts(geo::matrix(&places), &places, &texts);
        assert_eq!(matrix.leg(0, 1), matrix.leg(1, 0));
        matrix.leg(0, 1).expect("a leg").metres
    }

    #[test]
    fn shared_text_brings_addresses_of_a_city_near() {
        let store = address(
            "Rua Augusta",
            "1500",
            "Consolação",
            "São Paulo",
            "01304-001",
        );
        let to = |street, number, neighbourhood, cep| {
            leg(
                &store,
                &address(street, number, neighbourhood, "São Paulo", cep),
            )
        };
        assert_eq!(to("Rua Augusta", "1508", "", "01304-001"), 76, "next door");
        assert_eq!(
            to("R. AUGUSTA", "900", "", ""),
            1_140,
            "600 numbers further"
        );
        assert_eq!(
            to("R. AUGUSTA", "1100", "", ""),
            931,
            "of two streets of this name"
        );
        assert_eq!(
            to("Rua Caio Prado", "1", "", "01304001"),
            475,
            "the same CEP"
        );
        let (cep5, cep4, cep3) = (
            to("Rua Caio Prado", "1", "", "01304-900"),
            to("Rua Caio Prado", "1", "", "01305-000"),
            to("Rua Caio Prado", "1", "", "01390-000"),
        );
        let neighbourhood = to("Rua Caio Prado", "1", "CONSOLACAO", "");
        let elsewhere = to("Rua Caio Prado", "1", "", "05001-000");
        assert!(
            475 < cep5 && cep5 < cep4 && cep4 < neighbourhood,
            "{cep5} {cep4} {neighbourhood}"
        );
        assert!(
            neighbourhood < cep3 && cep3 < elsewhere,
            "{neighbourhood} {cep3} {elsewhere}"
        );
        assert_eq!(
            elsewhere,
            to("Rua Caio Prado", "1", "", ""),
            "nothing in common"
        );
        assert!(elsewhere > 10_000);
    }

    #[test]
    fn more_complete_text_never_moves_an_address_away() {
        let full = address(
            "Rua Augusta",
            "1508",
            "Consolação",
            "São Paulo",
            "01304-001",
        );
        let store = address(
            "Rua Augusta",
            "1500",
            "Consolação",
            "São Paulo",
            "01304-001",
        );
        let without = |edit: fn(&mut Address)| {
            let mut known = full.clone();
            edit(&mut known);
            leg(&store, &known)
        };
        let shortest = leg(&store, &full);
        let edits: [fn(&mut Address); 4] = [
            |address| address.street = None,
            |address| address.number = None,
            |address| address.neighborhood = None,
            |address| address.zip_code = None,
        ];
        assert!(
            edits
                .into_iter()
                .map(without)
                .all(|metres| metres >= shortest)
        );
    }

    #[test]
    fn general_cep_and_other_towns_show_nothing() {
        let (one, two) = (
            address("Rua A", "1", "", "Borá", "19740-000"),
            address("Rua B", "9", "", "Borá", "19740-000"),
        );
        let bare = address("", "", "", "Borá", "");
        assert_eq!(
            leg(&one, &two),
            leg(&bare, &bare),
            "one CEP for the whole town"
        );
        let osasco = address("Rua Augusta", "1500", "Consolação", "Osasco", "");
        let store = address(
            "Rua Augusta",
            "1500",
            "Consolação",
            "São Paulo",
            "01304-001",
        );
        assert!(leg(&store, &osasco) > 10_000);
    }

    #[test]
    fn exact_locations_keep_their_legs() {
        let text = address("Rua Augusta", "1500", "", "São Paulo", "01304-001");
        let at = |lat_e7| Located {
            point: crate::model::Point {
                lat_e7,
                lon_e7: -466_000_000,
            },
            precision: Precision::Number,
            radius_m: 15,
        };
        let texts = [&text, &text].map(|address| WrittenPlace::of(Gazetteer::embedded(), address));
        let exact = [at(-235_500_000), at(-235_600_000)];
        assert_eq!(
            with_texts(geo::matrix(&exact), &exact, &texts),
            geo::matrix(&exact)
        );
        let rough = Located {
            precision: Precision::Municipality,
            radius_m: 13_000,
            ..at(-236_600_000)
        };
        let mixed = [at(-235_500_000), rough];
        let matrix = with_texts(geo::matrix(&mixed), &mixed, &texts);
        assert_eq!(
            matrix.leg(0, 1).map(|leg| leg.metres),
            Some(76),
            "the rough end is where the text says"
        );
        assert!(matrix.is_near(0, 1));
    }
}
