//! A geocoder's answers, and whether they answer the question: services silently ignore what they do not understand.

use super::{
    Gazetteer, LocateError, Municipality, great_circle_m,
    names::{city_key, plain},
    street::{street_key, street_number},
};
use crate::model::{Address, Cep, Located, Point, Precision, Uf};

/// One place that a geocoder offers, in its own words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// Where it is.
    pub point: Option<Point>,
    /// Names that may be the municipality's: city, town, village.
    pub cities: Vec<String>,
    /// The federative unit, as `SP`, `BR-SP` or its name.
    pub state: Option<String>,
    /// Postal code.
    pub postcode: Option<String>,
    /// Street.
    pub street: Option<String>,
    /// Number in the street, where the place is a house.
    pub number: Option<String>,
    /// Half the extent of the place in metres, where it has one.
    pub reach_m: Option<u32>,
}

/// Why what a geocoder offers is not the place that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mismatch {
    /// It offers nothing.
    Nothing,
    /// Its places lie in another municipality or federative unit.
    OtherCity,
    /// Its places have another CEP: the one that was sent was ignored.
    OtherCep,
    /// Its places are in another street.
    OtherStreet,
    /// Several places far apart fit as well as each other.
    Ambiguous,
}

impl Mismatch {
    /// Its name in metrics and logs.
    pub fn name(self) -> &'static str {
        match self {
            Mismatch::Nothing => "nothing",
            Mismatch::OtherCity => "other_city",
            Mismatch::OtherCep => "other_cep",
            Mismatch::OtherStreet => "other_street",
            Mismatch::Ambiguous => "ambiguous",
        }
    }
}

/// Typical distance between a house's point and its door, in metres.
const DOOR_M: u32 = 20;
/// Typical distance of an address from the middle of its street where the street's extent is not known, in metres.
const STREET_M: u32 = 300;
/// Places of one house, and of one street, that lie within this many metres are one.
const SAME_HOUSE_M: u32 = 300;
const SAME_STREET_M: u32 = 2_000;
/// How far from the middle of its CEP, as a pack knows it, a place may lie beyond three times the CEP's radius, in metres.
const CEP_REACH_M: u32 = 2_000;

/// The federative unit in a geocoder's words: `SP`, `BR-SP` or `São Paulo`.
fn unit(text: &str) -> Option<Uf> {
    Uf::parse(text.trim().strip_prefix("BR-").unwrap_or(text)).or_else(|| {
        let wanted = plain(text);
        Uf::all().find(|uf| plain(uf.name()) == wanted)
    })
}

/// Whether a geocoder may know an address better than what embedded data and packs say: it names a street, which they do not
/// know, and nothing in it contradicts itself.
pub fn is_worth_querying(address: &Address, known: &Result<Located, LocateError>) -> bool {
    let open = match known {
        Ok(located) => located.precision > Precision::Street,
        Err(error) => matches!(error, LocateError::NotFound | LocateError::CepUnknown),
    };
    open && address.point.is_none() && address.street.as_deref().and_then(street_key).is_some()
}

/// The place among a geocoder's candidates that is the address', of street or number precision.
///
/// City, federative unit, CEP and street are all compared, since a geocoder that does not find one of them often answers without
/// it. A CEP fits by its first five digits; where a pack knows the CEP (`known`, of CEP or CEP5 precision) a place near to it fits
/// whatever its own CEP is. Where several places far apart fit equally, none is taken.
///
/// # Errors
/// The best [`Mismatch`]: what stood between the nearest miss and the address.
pub fn judge(address: &Address, known: Option<&Located>, candidates: &[Candidate]) -> Result<Located, Mismatch> {
    let mut fitting: Vec<(bool, Located)> = Vec::new();
    let mut mismatch = Mismatch::Nothing;
    for candidate in candidates {
        match fit(address, known, candidate) {
            Ok(located) => fitting.push((cep_of(candidate) != address.cep(), located)),
            Err(error) => mismatch = mismatch.max(error),
        }
    }
    let rank = |(other_cep, located): &(bool, Located)| (located.precision, *other_cep);
    let Some(best) = fitting.iter().min_by_key(|one| rank(one)).copied() else { return Err(mismatch) };
    let same_m = if best.1.precision == Precision::Number { SAME_HOUSE_M } else { SAME_STREET_M };
    let rivals = fitting.iter().filter(|one| rank(one) == rank(&best));
    let distance = rivals.map(|(_, located)| great_circle_m(located.point, best.1.point)).max();
    if distance > Some(same_m) { Err(Mismatch::Ambiguous) } else { Ok(best.1) }
}

fn cep_of(candidate: &Candidate) -> Option<Cep> {
    Cep::parse(candidate.postcode.as_deref()?)
}

fn fit(address: &Address, known: Option<&Located>, candidate: &Candidate) -> Result<Located, Mismatch> {
    let point = candidate.point.ok_or(Mismatch::Nothing)?;
    if !is_same_city(address, candidate, point) {
        return Err(Mismatch::OtherCity);
    }
    let key = |text: &Option<String>| text.as_deref().and_then(street_key).map(|key| key.hash);
    let street = key(&candidate.street);
    if street.is_none() || street != key(&address.street) {
        return Err(Mismatch::OtherStreet);
    }
    let by_place = known.filter(|located| matches!(located.precision, Precision::Cep | Precision::Cep5));
    let fits_cep = match (by_place, address.cep(), cep_of(candidate)) {
        (Some(cep), ..) => {
            great_circle_m(cep.point, point) <= CEP_REACH_M.saturating_add(cep.radius_m.saturating_mul(3))
        }
        (None, Some(wanted), Some(found)) => wanted.number() / 1_000 == found.number() / 1_000,
        _ => true,
    };
    if !fits_cep {
        return Err(Mismatch::OtherCep);
    }
    let number = |text: &Option<String>| text.as_deref().and_then(street_number);
    let wanted = number(&address.number);
    let (precision, radius_m) = if wanted.is_some() && number(&candidate.number) == wanted {
        (Precision::Number, DOOR_M)
    } else {
        (Precision::Street, candidate.reach_m.unwrap_or(STREET_M).max(DOOR_M))
    };
    Ok(Located { point, precision, radius_m })
}

/// Whether a candidate names the address' municipality and lies where that is.
fn is_same_city(address: &Address, candidate: &Candidate, point: Point) -> bool {
    let gazetteer = Gazetteer::embedded();
    let by_name = address.city.as_deref().zip(address.uf());
    let town = by_name.and_then(|(city, uf)| gazetteer.municipality(city, uf));
    let town = town.or_else(|| gazetteer.municipality_by_cep(address.cep()?).filter(|_| by_name.is_none()));
    let uf = town.map(Municipality::uf).or(address.uf());
    let found_uf = candidate.state.as_deref().and_then(unit);
    if found_uf.is_some() && uf.is_some() && found_uf != uf {
        return false;
    }
    let named = match (town, uf) {
        (Some(town), _) => candidate.cities.iter().any(|city| gazetteer.municipality(city, town.uf()) == Some(town)),
        // A district, perhaps, that the gazetteer does not know: then the geocoder must know it by that very name.
        (None, Some(_)) => {
            let wanted = address.city.as_deref().map(|city| city_key(city, "sao"));
            wanted.is_some_and(|wanted| candidate.cities.iter().any(|city| city_key(city, "sao") == wanted))
        }
        (None, None) => false,
    };
    let there = Address { point: Some(point), ..address.clone() };
    named && gazetteer.locate(&there).is_ok()
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
    fn a_house_and_a_street_are_taken_for_what_they_are() {
        let found = judge(&wanted(), None, &[house()]).expect("the house");
        assert_eq!((found.precision, found.radius_m, Some(found.point)), (Precision::Number, 20, house().point));
        let road = Candidate { number: None, reach_m: Some(350), state: text("São Paulo"), ..house() };
        let found = judge(&wanted(), None, std::slice::from_ref(&road)).expect("the street");
        assert_eq!((found.precision, found.radius_m), (Precision::Street, 350));
        assert_eq!(judge(&wanted(), None, &[road, house()]).map(|found| found.precision), Ok(Precision::Number));
        let other = Candidate { number: text("440"), ..house() };
        assert_eq!(judge(&wanted(), None, &[other]).map(|found| found.precision), Ok(Precision::Street));
    }

    #[test]
    fn what_is_not_the_question_is_refused_with_the_reason() {
        let manaus = Point::from_degrees(-3.119, -60.0217);
        for (candidate, mismatch) in [
            (Candidate { cities: vec!["Osasco".to_owned()], ..house() }, Mismatch::OtherCity),
            (Candidate { cities: vec![], ..house() }, Mismatch::OtherCity),
            (Candidate { state: text("Rio de Janeiro"), ..house() }, Mismatch::OtherCity),
            (Candidate { point: manaus, ..house() }, Mismatch::OtherCity),
            (Candidate { postcode: text("05010-000"), ..house() }, Mismatch::OtherCep),
            (Candidate { street: text("Rua Vergueiro"), ..house() }, Mismatch::OtherStreet),
            (Candidate { street: None, ..house() }, Mismatch::OtherStreet),
            (Candidate { point: None, ..house() }, Mismatch::Nothing),
        ] {
            assert_eq!(judge(&wanted(), None, std::slice::from_ref(&candidate)), Err(mismatch), "{candidate:?}");
        }
        assert_eq!(judge(&wanted(), None, &[]), Err(Mismatch::Nothing));
    }

    #[test]
    fn where_a_pack_knows_the_cep_its_place_decides() {
        let near = Located {
            point: Point { lat_e7: -235_620_000, lon_e7: -466_420_000 },
            precision: Precision::Cep,
            radius_m: 90,
        };
        let other_cep = Candidate { postcode: text("05010-000"), ..house() };
        assert!(judge(&wanted(), Some(&near), &[other_cep]).is_ok());
        let far = Located { point: Point { lat_e7: -236_200_000, lon_e7: -466_420_000 }, ..near };
        assert_eq!(judge(&wanted(), Some(&far), &[house()]), Err(Mismatch::OtherCep));
    }

    #[test]
    fn namesakes_far_apart_are_not_guessed_at() {
        let bare = Address { zip_code: None, number: None, ..wanted() };
        let there = |latitude: f64, postcode: &str| Candidate {
            point: Point::from_degrees(latitude, -46.64),
            number: None,
            postcode: text(postcode),
            ..house()
        };
        let (north, south) = (there(-23.48, "02000-000"), there(-23.66, "04800-000"));
        assert_eq!(judge(&bare, None, &[north.clone(), south.clone()]), Err(Mismatch::Ambiguous));
        assert_eq!(
            judge(&bare, None, &[north.clone(), there(-23.481, "02000-000")]).map(|at| at.precision),
            Ok(Precision::Street)
        );
        let with_cep = Address { zip_code: text("04800-000"), ..bare };
        assert_eq!(judge(&with_cep, None, &[north, south.clone()]).map(|at| Some(at.point)), Ok(south.point));
    }

    #[test]
    fn a_geocoder_is_asked_for_streets_that_are_not_known_yet() {
        let municipality = Gazetteer::embedded().locate(&wanted());
        assert!(is_worth_querying(&wanted(), &municipality));
        let street = municipality.map(|located| Located { precision: Precision::Street, ..located });
        assert!(!is_worth_querying(&wanted(), &street));
        assert!(!is_worth_querying(&Address { street: None, ..wanted() }, &municipality));
        assert!(is_worth_querying(&wanted(), &Err(LocateError::CepUnknown)));
        assert!(!is_worth_querying(&wanted(), &Err(LocateError::NoLocation)));
    }

    #[test]
    fn units_are_read_by_code_and_by_name() {
        for uf in Uf::all() {
            assert_eq!((unit(uf.name()), unit(&format!("BR-{}", uf.code()))), (Some(uf), Some(uf)));
        }
        assert_eq!(unit("Bavaria"), None);
    }
}
