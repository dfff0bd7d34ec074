//! Versions and migrations of the schema.

use super::*;

#[test]
fn schema_versions_have_no_gap() {
    for dialect in [Dialect::Sqlite, Dialect::Postgres] {
        let versions: Vec<u32> = migrations(dialect)
            .iter()
            .map(|migration| migration.version)
            .collect();
        assert_eq!(
            versions,
            (1..=u32::try_from(VERSIONS.len()).unwrap()).collect::<Vec<_>>()
        );
        let steps = migrations(dialect)
            .into_iter()
            .flat_map(|migration| migration.steps);
        assert!(
            steps
                .chain([dialect.version_table()])
                .all(|step| !step.contains(['{', '}']))
        );
    }
}

fn schema_state(version: Option<i64>, min_compatible: Option<i64>) -> SchemaState {
    SchemaState {
        version,
        min_compatible,
    }
}

#[test]
fn pending_migrations_depend_on_database_version() {
    let newest = i64::try_from(VERSIONS.len()).unwrap();
    assert_eq!(
        pending(Dialect::Sqlite, SchemaState::default())
            .unwrap()
            .len(),
        VERSIONS.len()
    );
    assert_eq!(
        pending(Dialect::Sqlite, schema_state(Some(newest), None)),
        Ok(vec![])
    );
    assert!(!is_ahead(None) && !is_ahead(Some(newest)) && is_ahead(Some(newest + 1)));
    let rejected = pending(
        Dialect::Sqlite,
        schema_state(Some(newest + 6), Some(newest + 2)),
    )
    .unwrap_err()
    .to_string();
    for named in [
        format!("version {},", newest + 6),
        format!("version {},", newest + 2),
        format!("to {newest}:"),
    ] {
        assert!(rejected.contains(&named), "{named} in {rejected}");
    }
    assert!(
        pending(Dialect::Sqlite, schema_state(Some(newest + 1), None)).is_err(),
        "without a minimum compatible version"
    );
    assert_eq!(
        pending(
            Dialect::Sqlite,
            schema_state(Some(newest + 6), Some(newest))
        ),
        Ok(vec![])
    );
}

/// Versions of a program, of its successor, which is additive, and of the next one, which is
/// breaking.
#[test]
fn older_program_continues_only_after_additive_migrations() {
    let mut versions = VERSIONS.to_vec();
    let known = rendered(Dialect::Postgres, &versions);
    let min_compatible = |all: &[Migration]| {
        let versions = all.iter().flat_map(|migration| {
            let is_breaking = migration
                .steps
                .iter()
                .any(|step| step.contains("'schema_floor'"));
            is_breaking.then_some(i64::from(migration.version))
        });
        versions.max()
    };
    versions.push((Change::Additive, &["ALTER TABLE keys ADD COLUMN note TEXT"]));
    let grown = rendered(Dialect::Postgres, &versions);
    let version = i64::try_from(grown.len()).ok();
    assert_eq!(
        missing(known.clone(), schema_state(version, min_compatible(&grown))),
        Ok(vec![])
    );
    versions.push((Change::Breaking, &["ALTER TABLE keys DROP COLUMN note"]));
    let shrunk = rendered(Dialect::Postgres, &versions);
    let version = i64::try_from(shrunk.len()).ok();
    assert!(missing(known, schema_state(version, min_compatible(&shrunk))).is_err());
    assert!(missing(grown, schema_state(version, min_compatible(&shrunk))).is_err());
}
