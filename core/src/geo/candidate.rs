//! Checks a geocoder's results against the address: geocoders silently ignore the parts that they
//! do not understand.

use super::{
    Gazetteer, LocateError, Municipality, great_circle_m,
    names::{city_key, plain},
    street::{Form, street_key, street_number, written::readings},
};
use crate::model::{Address, Cep, Located, Point, Precision, Uf};

/// One result of a geocoder, as received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// Coordinates.
    pub point: Option<Point>,
    /// Possible names of the municipality: city, town, village.
    pub cities: Vec<String>,
    /// Federative unit, as `SP`, `BR-SP` or its name.
    pub state: Option<String>,
    /// Postal code.
    pub postcode: Option<String>,
    /// Street.
    pub street: Option<String>,
    /// Street number, if the result is a house.
    pub number: Option<String>,
    /// Half the extent of the result in metres, if known.
    pub reach_m: Option<u32>,
}

/// The reason a geocoder's results do not match the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mismatch {
    /// The geocoder returned no result with coordinates.
    NoResult,
    /// The results are in another municipality or federative unit.
    OtherCity,
    /// The results have another CEP: the geocoder ignored the CEP of the request.
    OtherCep,
    /// The results are in another street.
    OtherStreet,
    /// Several distant results match equally well.
    Ambiguous,
}

impl Mismatch {
    /// Returns the name used in metrics and logs.
    pub fn name(self) -> &'static str {
        match self {
            Mismatch::NoResult => "nothing",
            Mismatch::OtherCity => "other_city",
            Mismatch::OtherCep => "other_cep",
            Mismatch::OtherStreet => "other_street",
            Mismatch::Ambiguous => "ambiguous",
        }
    }
}

/// Typical distance between a house's coordinates and its door in metres.
const DOOR_M: u32 = 20;
/// Typical distance in metres between an address and the middle of its street, used if the street's
/// extent is unknown.
const STREET_M: u32 = 300;
/// Results for the same house, or the same street, within this many metres count as one location.
const SAME_HOUSE_M: u32 = 300;
const SAME_STREET_M: u32 = 2_000;
/// Maximum distance in metres between a result and the CEP's location in a pack, added to three
/// times the CEP's radius.
const CEP_TOLERANCE_M: u32 = 2_000;

/// Parses a geocoder's federative unit: `SP`, `BR-SP` or `São Paulo`.
fn parse_uf(text: &str) -> Option<Uf> {
    Uf::parse(text.trim().strip_prefix("BR-").unwrap_or(text)).or_else(|| {
        let wanted = plain(text);
        Uf::all().find(|uf| plain(uf.name()) == wanted)
    })
}

/// Whether a geocoder may locate an address more precisely than embedded data and packs.
///
/// This is the case if the address has a street that they did not find, and no contradiction.
pub fn is_worth_querying(address: &Address, known: &Result<Located, LocateError>) -> bool {
    let is_imprecise = match known {
        Ok(located) => located.precision > Precision::Street,
        Err(error) => matches!(error, LocateError::NotFound | LocateError::CepUnknown),
    };
    is_imprecise
        && address.point.is_none()
        && address.street.as_deref().and_then(street_key).is_some()
}

/// Returns the geocoder's result that matches the address, with street or number precision.
///
/// City, federative unit, CEP and street are all compared, because a geocoder that does not find
/// one of them often drops it. CEPs match if their first five digits are equal. If a pack has the
/// CEP (`known`, of CEP or CEP5 precision), a result near it matches whatever its own CEP is. If
/// several distant results match equally well, all are rejected.
///
/// # Errors
/// Returns the [`Mismatch`] of the result that came closest to matching.
pub fn judge(
    gazetteer: Gazetteer,
    address: &Address,
    known: Option<&Located>,
    candidates: &[Candidate],
) -> Result<Located, Mismatch> {
    let mut matches: Vec<(bool, Located)> = Vec::new();
    let mut mismatch = Mismatch::NoResult;
    for candidate in candidates {
        match match_candidate(gazetteer, address, known, candidate) {
            Ok(located) => matches.push((cep_of(candidate) != address.cep(), located)),
            Err(error) => mismatch = mismatch.max(error),
        }
    }
    let rank = |(other_cep, located): &(bool, Located)| (located.precision, *other_cep);
    let Some(best) = matches.iter().min_by_key(|one| rank(one)).copied() else {
        return Err(mismatch);
    };
    let same_m = if best.1.precision == Precision::Number {
        SAME_HOUSE_M
    } else {
        SAME_STREET_M
    };
    let rivals = matches.iter().filter(|one| rank(one) == rank(&best));
    let distance = rivals
        .map(|(_, located)| great_circle_m(located.point, best.1.point))
        .max();
    if distance > Some(same_m) {
        Err(Mismatch::Ambiguous)
    } else {
        Ok(best.1)
    }
}

fn cep_of(candidate: &Candidate) -> Option<Cep> {
    Cep::parse(candidate.postcode.as_deref()?)
}

fn match_candidate(
    gazetteer: Gazetteer,
    address: &Address,
    known: Option<&Located>,
    candidate: &Candidate,
) -> Result<Located, Mismatch> {
    let point = candidate.point.ok_or(Mismatch::NoResult)?;
    if !is_same_city(gazetteer, address, candidate, point) {
        return Err(Mismatch::OtherCity);
    }
    let street = candidate
        .street
        .as_deref()
        .and_then(street_key)
        .ok_or(Mismatch::OtherStreet)?;
    let reading = readings(address, Form::Current)
        .into_iter()
        .find(|reading| reading.key.hash == street.hash);
    let wanted = reading.ok_or(Mismatch::OtherStreet)?.number;
    let pack_cep =
        known.filter(|located| matches!(located.precision, Precision::Cep | Precision::Cep5));
    let fits_cep = match (pack_cep, address.cep(), cep_of(candidate)) {
        (Some(cep), ..) => {
            great_circle_m(cep.point, point)
                <= CEP_TOLERANCE_M.saturating_add(cep.radius_m.saturating_mul(3))
        }
        (None, Some(wanted), Some(found)) => wanted.number() / 1_000 == found.number() / 1_000,
        _ => true,
    };
    if !fits_cep {
        return Err(Mismatch::OtherCep);
    }
    let number = candidate.number.as_deref().and_then(street_number);
    let (precision, radius_m) = if wanted.is_some() && number == wanted {
        (Precision::Number, DOOR_M)
    } else {
        (
            Precision::Street,
            candidate.reach_m.unwrap_or(STREET_M).max(DOOR_M),
        )
    };
    Ok(Located {
        point,
        precision,
        radius_m,
    })
}

/// Whether a candidate has the municipality of the address and its coordinates are there.
fn is_same_city(
    gazetteer: Gazetteer,
    address: &Address,
    candidate: &Candidate,
    point: Point,
) -> bool {
    let by_name = address.city.as_deref().zip(address.uf());
    let town = by_name.and_then(|(city, uf)| gazetteer.municipality(city, uf));
    let town = town.or_else(|| {
        gazetteer
            .municipality_by_cep(address.cep()?)
            .filter(|_| by_name.is_none())
    });
    let uf = town.map(Municipality::uf).or(address.uf());
    let found_uf = candidate.state.as_deref().and_then(parse_uf);
    if found_uf.is_some() && uf.is_some() && found_uf != uf {
        return false;
    }
    let named = match (town, uf) {
        (Some(town), _) => candidate
            .cities
            .iter()
            .any(|city| gazetteer.municipality(city, town.uf()) == Some(town)),
        // The city may be a district, which the gazetteer does not have. The geocoder must then
        // return the same name.
        (None, Some(_)) => {
            let wanted = address.city.as_deref().map(|city| city_key(city, "sao"));
            wanted.is_some_and(|wanted| {
                candidate
                    .cities
                    .iter()
                    .any(|city| city_key(city, "sao") == wanted)
            })
        }
        (None, None) => false,
    };
    let at_point = Address {
        point: Some(point),
        ..address.clone()
    };
    named && gazetteer.locate(&at_point).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn wanted() -> Address {
        Address {
            street: text("Rua Martiniano de Carvalho"),
            number: text("438"),
            city: text("São Paulo"),
            state: text("SP"),
            zip_code: text("01321-000"),
            ..Address::default()
        }
    }

    fn house() -> Candidate {
        Candidate {
            point: Point::from_degrees(-23.562_591_7, -46.642_075),
            cities: vec!["São Paulo".to_owned()],
            state: text("BR-SP"),
            postcode: text("01321-000"),
            street: text("Rua Martiniano de Carvalho"),
            number: text("438"),
            reach_m: None,
        }
    }

    #[test]
    fn house_and_street_get_their_own_precision() {
        let found = judge(Gazetteer::embedded(), &wanted(), None, &[house()]).expect("a match");
        assert_eq!(
            (found.precision, found.radius_m, Some(found.point)),
            (Precision::Number, 20, house().point)
        );
        let road = Candidate {
            number: None,
            reach_m: Some(350),
            state: text("São Paulo"),
            ..house()
        };
        let found = judge(
            Gazetteer::embedded(),
            &wanted(),
            None,
            std::slice::from_ref(&road),
        )
        .expect("a match");
        assert_eq!((found.precision, found.radius_m), (Precision::Street, 350));
        assert_eq!(
            judge(Gazetteer::embedded(), &wanted(), None, &[road, house()])
                .map(|found| found.precision),
            Ok(Precision::Number)
        );
        let other = Candidate {
            number: text("440"),
            ..house()
        };
        assert_eq!(
            judge(Gazetteer::embedded(), &wanted(), None, &[other]).map(|found| found.precision),
            Ok(Precision::Street)
        );
    }

    #[test]
    fn mismatched_candidate_returns_the_reason() {
        let manaus = Point::from_degrees(-3.119, -60.0217);
        for (candidate, mismatch) in [
            (
                Candidate {
                    cities: vec!["Osasco".to_owned()],
                    ..house()
                },
                Mismatch::OtherCity,
            ),
            (
                Candidate {
                    cities: vec![],
                    ..house()
                },
                Mismatch::OtherCity,
            ),
            (
                Candidate {
                    state: text("Rio de Janeiro"),
                    ..house()
                },
                Mismatch::OtherCity,
            ),
            (
                Candidate {
                    point: manaus,
                    ..house()
                },
                Mismatch::OtherCity,
            ),
            (
                Candidate {
                    postcode: text("05010-000"),
                    ..house()
                },
                Mismatch::OtherCep,
            ),
            (
                Candidate {
                    street: text("Rua Vergueiro"),
                    ..house()
                },
                Mismatch::OtherStreet,
            ),
            (
                Candidate {
                    street: None,
                    ..house()
                },
                Mismatch::OtherStreet,
            ),
            (
                Candidate {
                    point: None,
                    ..house()
                },
                Mismatch::NoResult,
            ),
        ] {
            assert_eq!(
                judge(
                    Gazetteer::embedded(),
                    &wanted(),
                    None,
                    std::slice::from_ref(&candidate)
                ),
                Err(mismatch),
                "{candidate:?}"
            );
        }
        assert_eq!(
            judge(Gazetteer::embedded(), &wanted(), None, &[]),
            Err(Mismatch::NoResult)
        );
    }

    #[test]
    fn location_of_the_cep_in_a_pack_decides() {
        let near = Located {
            point: Point {
                lat_e7: -235_620_000,
                lon_e7: -466_420_000,
            },
            precision: Precision::Cep,
            radius_m: 90,
        };
        let other_cep = Candidate {
            postcode: text("05010-000"),
            ..house()
        };
        assert!(judge(Gazetteer::embedded(), &wanted(), Some(&near), &[other_cep]).is_ok());
        let far = Located {
            point: Point {
                lat_e7: -236_200_000,
                lon_e7: -466_420_000,
            },
            ..near
        };
        assert_eq!(
            judge(Gazetteer::embedded(), &wanted(), Some(&far), &[house()]),
            Err(Mismatch::OtherCep)
        );
    }

    #[test]
    fn distant_namesakes_are_ambiguous() {
        let bare = Address {
            zip_code: None,
            number: None,
            ..wanted()
        };
        let at = |latitude: f64, postcode: &str| Candidate {
            point: Point::from_degrees(latitude, -46.64),
            number: None,
            postcode: text(postcode),
            ..house()
        };
        let (north, south) = (at(-23.48, "02000-000"), at(-23.66, "04800-000"));
        assert_eq!(
            judge(
                Gazetteer::embedded(),
                &bare,
                None,
                &[north.clone(), south.clone()]
            ),
            Err(Mismatch::Ambiguous)
        );
        assert_eq!(
            judge(
                Gazetteer::embedded(),
                &bare,
                None,
                &[north.clone(), at(-23.481, "02000-000")]
            )
            .map(|found| found.precision),
            Ok(Precision::Street)
        );
        let with_cep = Address {
            zip_code: text("04800-000"),
            ..bare
        };
        assert_eq!(
            judge(
                Gazetteer::embedded(),
                &with_cep,
                None,
                &[north, south.clone()]
            )
            .map(|found| Some(found.point)),
            Ok(south.point)
        );
    }

    #[test]
    fn only_unknown_streets_are_worth_querying() {
        let municipality = Gazetteer::embedded().locate(&wanted());
        assert!(is_worth_querying(&wanted(), &municipality));
        let street = municipality.map(|located| Located {
            precision: Precision::Street,
            ..located
        });
        assert!(!is_worth_querying(&wanted(), &street));
        assert!(!is_worth_querying(
            &Address {
                street: None,
                ..wanted()
            },
            &municipality
        ));
        assert!(is_worth_querying(&wanted(), &Err(LocateError::CepUnknown)));
        assert!(!is_worth_querying(&wanted(), &Err(LocateError::NoLocation)));
    }

    #[test]
    fn federative_unit_parses_from_code_and_name() {
        for uf in Uf::all() {
            assert_eq!(
                (parse_uf(uf.name()), parse_uf(&format!("BR-{}", uf.code()))),
                (Some(uf), Some(uf))
            );
        }
        assert_eq!(parse_uf("Bavaria"), None);
    }
}
