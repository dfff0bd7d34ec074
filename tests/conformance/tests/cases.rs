//! Every case file on every host, a test each: `memory::format/unknown-endpoint`.

use despacho_conformance::{
    format,
    host::{KINDS, Kind},
    run,
};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let trials = match format::names(&format::folder()) {
        Ok(names) => KINDS.iter().flat_map(|kind| names.iter().map(move |name| trial(kind, name))).collect(),
        Err(fault) => vec![Trial::test("cases can be listed", move || Err(Failed::from(fault)))],
    };
    libtest_mimic::run(&arguments, trials).exit();
}

fn trial(kind: &'static Kind, name: &str) -> Trial {
    let title = format!("{}::{name}", kind.name);
    let case = match format::load(&format::folder(), name) {
        Ok(case) => case,
        Err(fault) => return Trial::test(title, move || Err(Failed::from(fault))),
    };
    if let Some(missing) = (kind.missing)() {
        return Trial::test(title, || Ok(())).with_kind(missing).with_ignored_flag(true);
    }
    if case.moves_clock() && !kind.has_clock {
        // Skipped, with its reason before the name.
        return Trial::test(title, || Ok(())).with_kind("moves the clock, this host's is real").with_ignored_flag(true);
    }
    Trial::test(title, move || {
        let mut host = (kind.start)(&case.name, &case.settings)?;
        run::run(&case, host.as_mut()).map_err(|fault| Failed::from(format!("tests/cases/{}.json\n{fault}", case.name)))
    })
}
