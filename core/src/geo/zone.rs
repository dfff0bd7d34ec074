//! The time zones of addresses.

use super::Gazetteer;
use crate::model::{Address, Uf, Zone};

/// Returns the time zone of an address by its municipality and state; `None` if neither the state
/// nor the CEP is known.
///
/// The city determines the municipality, else the CEP.
///
/// ```
/// use despacho_core::{geo::zone, model::{Address, Zone}};
/// let address = |city: &str, state: &str| {
///     zone(&Address { city: Some(city.into()), state: Some(state.into()), ..Address::default() })
/// };
/// assert_eq!(address("Recife", "PE"), Some(Zone::Brasilia));
/// assert_eq!(address("Fernando de Noronha", "PE"), Some(Zone::Noronha));
/// assert_eq!(address("Tabatinga", "AM"), Some(Zone::Acre));
/// ```
pub fn zone(address: &Address) -> Option<Zone> {
    zone_in(address.city.as_deref(), address.uf())
        .or_else(|| {
            let town = Gazetteer::embedded().municipality_by_cep(address.cep()?)?;
            let is_of_state = address.uf().is_none_or(|uf| uf == town.uf());
            is_of_state.then(|| Zone::of(Some(town.ibge()), town.uf()))
        })
        .or_else(|| Some(Zone::of(None, address.uf()?)))
}

/// Returns the time zone of a city and state; `None` if the state is unknown, or has several zones
/// and the city is unknown.
fn zone_in(city: Option<&str>, uf: Option<Uf>) -> Option<Zone> {
    let uf = uf?;
    if !Zone::has_several(uf) {
        return Some(Zone::of(None, uf));
    }
    Some(Zone::of(
        Some(Gazetteer::embedded().municipality(city?, uf)?.ibge()),
        uf,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(city: &str, state: &str, cep: &str) -> Option<Zone> {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        zone(&Address {
            city: text(city),
            state: text(state),
            zip_code: text(cep),
            ..Address::default()
        })
    }

    #[test]
    fn municipality_decides_in_states_of_several_zones() {
        for (city, state, cep, expected) in [
            ("Fernando de Noronha", "PE", "", Some(Zone::Noronha)),
            ("FERNANDO DE NORONHA", "pe", "", Some(Zone::Noronha)),
            ("", "PE", "53990-000", Some(Zone::Noronha)),
            ("", "", "53990-000", Some(Zone::Noronha)),
            ("Olinda", "PE", "", Some(Zone::Brasilia)),
            ("Vila dos Remédios", "PE", "53990-000", Some(Zone::Noronha)),
            ("Manaus", "AM", "", Some(Zone::Amazon)),
            ("Eirunepe", "AM", "", Some(Zone::Acre)),
            ("", "AM", "69640-000", Some(Zone::Acre)),
            ("", "AM", "", Some(Zone::Amazon)),
            ("Rio Branco", "AC", "", Some(Zone::Acre)),
            ("Tabatinga", "SP", "", Some(Zone::Brasilia)),
            ("Tabatinga", "", "", None),
            ("", "", "", None),
            ("", "", "69005-070", Some(Zone::Amazon)),
        ] {
            assert_eq!(at(city, state, cep), expected, "{city} {state} {cep}");
        }
    }

    #[test]
    fn exceptions_are_municipalities_of_their_states() {
        let of = |zone: Zone, state: &str| {
            let towns = Gazetteer::embedded()
                .all()
                .filter(|town| town.uf().code() == state);
            towns
                .filter(|town| Zone::of(Some(town.ibge()), town.uf()) == zone)
                .map(|town| town.name())
                .collect::<Vec<_>>()
        };
        assert_eq!(of(Zone::Noronha, "PE"), ["Fernando de Noronha"]);
        let mut western = of(Zone::Acre, "AM");
        western.sort();
        let expected = [
            "Atalaia do Norte",
            "Benjamin Constant",
            "Boca do Acre",
            "Eirunepé",
            "Envira",
            "Guajará",
            "Ipixuna",
            "Itamarati",
            "Jutaí",
            "Lábrea",
            "Pauini",
            "São Paulo de Olivença",
            "Tabatinga",
        ];
        assert_eq!(western, expected);
        for uf in Uf::all() {
            let several = Gazetteer::embedded()
                .all()
                .filter(|town| town.uf() == uf)
                .map(|town| Zone::of(Some(town.ibge()), uf));
            let zones: std::collections::BTreeSet<i32> = several.map(Zone::offset_hours).collect();
            assert_eq!(zones.len() > 1, Zone::has_several(uf), "{uf:?}");
        }
    }
}
