use super::*;

fn address(city: &str, state: &str, cep: &str) -> Address {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Address {
        city: text(city),
        state: text(state),
        zip_code: text(cep),
        ..Address::default()
    }
}

fn at(latitude: f64, longitude: f64, address: Address) -> Address {
    Address {
        point: Point::from_degrees(latitude, longitude),
        ..address
    }
}

fn locate(address: &Address) -> Result<Located, LocateError> {
    Gazetteer::embedded().locate(address)
}

/// Returns the municipality in the error, if it has one.
fn hint(error: LocateError) -> String {
    match error {
        LocateError::CityNotInState { elsewhere: town }
        | LocateError::CepElsewhere { belongs_to: town }
        | LocateError::CoordinatesMismatch {
            municipality: town, ..
        } => {
            format!("{} {}", town.name(), town.uf().code())
        }
        _ => String::new(),
    }
}

#[test]
fn city_and_state_or_cep_locate_the_municipality() {
    for (city, state, cep) in [
        ("Manaus", "AM", ""),
        ("manaus", "am", "69005-070"),
        ("", "", "69005070"),
        ("", "AM", "69005070"),
        ("Manaus", "", "69005070"),
        ("Distrito Industrial", "AM", "69005070"),
        ("Manaus", "AM", "00000-000"),
        ("Manaus", "AM", "not a CEP"),
    ] {
        let located = locate(&address(city, state, cep)).expect("a location");
        assert_eq!(
            located.precision,
            Precision::Municipality,
            "{city} {state} {cep}"
        );
        let manaus = Point::from_degrees(-3.119, -60.0217).expect("valid coordinates");
        assert!(great_circle_m(located.point, manaus) < 3_000 && located.radius_m > 5_000);
    }
}

#[test]
fn contradictory_address_returns_the_correction() {
    for (city, state, cep, want) in [
        ("Campinas", "RJ", "", "Campinas SP"),
        ("Campinas", "RJ", "13010-000", "Campinas SP"),
        ("São Paulo", "SP", "69005-070", "Manaus AM"),
        ("", "SP", "69005-070", "Manaus AM"),
        ("São Paulo", "", "69005-070", "Manaus AM"),
        ("Osasco", "", "01310-100", "São Paulo SP"),
        ("Nowhere", "SP", "69005-070", "Manaus AM"),
    ] {
        let error = locate(&address(city, state, cep)).expect_err("contradictory address");
        assert_eq!(hint(error), want, "{city} {state} {cep}");
    }
    assert!(matches!(
        locate(&address("Campinas", "RJ", "")),
        Err(LocateError::CityNotInState { .. })
    ));
    assert!(matches!(
        locate(&address("São Paulo", "SP", "69005070")),
        Err(LocateError::CepElsewhere { .. })
    ));
}

#[test]
fn incomplete_and_unknown_addresses_return_different_errors() {
    for (city, state, cep, want) in [
        ("", "", "", LocateError::NoLocation),
        ("São Paulo", "", "", LocateError::NoLocation),
        ("", "SP", "", LocateError::NoLocation),
        ("São Paulo", "XX", "", LocateError::NoLocation),
        ("Gotham", "SP", "", LocateError::NotFound),
        ("", "", "00000-000", LocateError::CepUnknown),
    ] {
        assert_eq!(
            locate(&address(city, state, cep)),
            Err(want),
            "{city} {state} {cep}"
        );
    }
}

#[test]
fn coordinates_near_the_stated_town_take_precedence() {
    for (latitude, longitude, place) in [
        (-23.5614, -46.6559, address("São Paulo", "SP", "")),
        (
            -23.5614,
            -46.6559,
            address("Vila Que Ninguém Conhece", "SP", ""),
        ),
        (-23.5614, -46.6559, address("São Paulo", "RJ", "")),
        (-23.5614, -46.6559, Address::default()),
        (-23.5614, -46.6559, address("São Paulo", "SP", "69005-070")),
        // Castelo dos Sonhos is a district of Altamira, 670 km from its seat.
        (-8.3183, -55.0956, address("Altamira", "PA", "")),
        // A farm in the Pantanal of Corumbá.
        (-18.2, -57.0, address("Corumbá", "MS", "")),
    ] {
        let located = locate(&at(latitude, longitude, place.clone()))
            .unwrap_or_else(|error| panic!("{place:?}: {error:?}"));
        assert_eq!(
            (located.precision, located.radius_m),
            (Precision::Coordinates, 0)
        );
        assert_eq!(
            Some(located.point),
            Point::from_degrees(latitude, longitude)
        );
    }
}

#[test]
fn coordinates_far_from_the_stated_town_are_rejected() {
    for (latitude, longitude, place, want) in [
        (
            -22.9056,
            -47.0608,
            address("São Paulo", "SP", ""),
            "São Paulo SP",
        ),
        (
            -3.119,
            -60.0217,
            address("São Paulo", "SP", ""),
            "São Paulo SP",
        ),
        (
            -3.119,
            -60.0217,
            address("", "", "01310-100"),
            "São Paulo SP",
        ),
        (
            -8.3183,
            -55.0956,
            address("São Paulo", "SP", ""),
            "São Paulo SP",
        ),
        (
            -2.4431,
            -54.7083,
            address("Altamira", "PA", ""),
            "Altamira PA",
        ),
    ] {
        let error = locate(&at(latitude, longitude, place)).expect_err("distant coordinates");
        assert_eq!(hint(error), want);
        assert!(
            matches!(error, LocateError::CoordinatesMismatch { distance_m, .. } if distance_m > 50_000)
        );
    }
}

#[test]
fn point_outside_brazil_returns_the_probable_cause() {
    let error = |latitude, longitude| {
        locate(&at(latitude, longitude, address("São Paulo", "SP", "")))
            .expect_err("outside Brazil")
    };
    let paulista = Point::from_degrees(-23.5614, -46.6559);
    assert_eq!(
        error(-46.6559, -23.5614),
        LocateError::CoordinatesOutside {
            swapped: paulista,
            sign_lost: false
        }
    );
    assert_eq!(
        error(23.5614, 46.6559),
        LocateError::CoordinatesOutside {
            swapped: None,
            sign_lost: true
        }
    );
    assert_eq!(
        error(0.0, 0.0),
        LocateError::CoordinatesOutside {
            swapped: None,
            sign_lost: false
        }
    );
    assert_eq!(
        error(-25.0, -44.0),
        LocateError::CoordinatesOutside {
            swapped: None,
            sign_lost: false
        }
    );
    assert_eq!(
        error(48.8566, 2.3522),
        LocateError::CoordinatesOutside {
            swapped: None,
            sign_lost: false
        }
    );
    assert_eq!(
        error(-90.0, -180.0),
        LocateError::CoordinatesOutside {
            swapped: None,
            sign_lost: false
        }
    );
}
