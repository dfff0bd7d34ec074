//! Runs every case file on every host, as tests named `memory::format/unknown-endpoint`. Compares
//! the responses of two hosts to every file, as tests named `spin = warp::format/unknown-endpoint`.

use despacho_conformance::{
    compare::{self, Pair},
    format,
    host::{HOST_KINDS, HostKind},
    run,
};
use despacho_xtask::skip;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let trials = match format::names(&format::folder()) {
        Ok(names) => {
            let single = HOST_KINDS
                .iter()
                .flat_map(|kind| names.iter().map(move |name| trial(kind, name)));
            single
                .chain(names.iter().map(|name| comparison(name)))
                .collect()
        }
        Err(error) => vec![Trial::test("cases can be listed", move || {
            Err(Failed::from(error))
        })],
    };
    libtest_mimic::run(&arguments, trials).exit();
}

fn trial(kind: &'static HostKind, name: &str) -> Trial {
    let title = format!("{}::{name}", kind.name);
    let case = match format::load(&format::folder(), name) {
        Ok(case) => case,
        Err(error) => return Trial::test(title, move || Err(Failed::from(error))),
    };
    if let Some(missing) = (kind.missing)() {
        return match skip::permit(kind.name, missing) {
            Ok(()) => Trial::test(title, || Ok(()))
                .with_kind(missing)
                .with_ignored_flag(true),
            Err(failure) => Trial::test(title, || Err(Failed::from(failure))),
        };
    }
    if case.advances_clock() && !kind.can_advance_clock {
        // Skipped; the output prints the reason before the name.
        return Trial::test(title, || Ok(()))
            .with_kind("advances the clock, which this host cannot")
            .with_ignored_flag(true);
    }
    let trial = Trial::test(title, move || {
        let mut host = (kind.start)(&case.name, &case.settings)?;
        run::run(&case, host.as_mut())
            .map_err(|error| Failed::from(format!("tests/cases/{}.json\n{error}", case.name)))
    });
    match kind.covered_by {
        Some(other) => trial.with_kind(other).with_ignored_flag(true),
        None => trial,
    }
}

fn comparison(name: &str) -> Trial {
    let case = match format::load(&format::folder(), name) {
        Ok(case) => case,
        Err(error) => return Trial::test(name.to_owned(), move || Err(Failed::from(error))),
    };
    let pair = Pair::for_case(&case);
    Trial::test(format!("{}::{}", pair.name, case.name), move || {
        compare::run(&case, pair)
            .map_err(|error| Failed::from(format!("tests/cases/{}.json\n{error}", case.name)))
    })
}
