//! Readiness while the disk rejects writes.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use crate::harness::{BINARY, OPERATOR, Server, TIMEOUT, create_store, prepared};

/// Limits the size of the files that a process writes: a write above it fails, as on a full disk.
/// Changing only the soft limit needs no privileges.
fn limit_file_size(server: &Server, limit: &str) -> bool {
    let mut prlimit = Command::new("prlimit");
    prlimit.args([
        "--pid",
        &server.id().to_string(),
        &format!("--fsize={limit}:"),
    ]);
    prlimit.output().is_ok_and(|done| done.status.success())
}

fn await_readiness(server: &Server, status: u16) {
    let deadline = Instant::now() + TIMEOUT;
    while server.get("/readyz").status != status {
        assert!(
            Instant::now() < deadline,
            "/readyz is not {status}: {}",
            server.log()
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn readiness_is_503_while_the_disk_takes_no_writes() {
    let folder = tempfile::tempdir().unwrap();
    create_store(&folder);
    // Without the trap the signal of a write above the limit would end the process.
    let mut shell = prepared(Command::new("sh"), &folder);
    shell.args([
        "-c",
        "trap '' XFSZ; exec \"$0\" \"$@\"",
        BINARY,
        "serve",
        "--listen",
        "127.0.0.1:0",
    ]);
    let server = Server::start_by(shell, folder, &[]);
    assert!(
        limit_file_size(&server, "unlimited"),
        "`prlimit` (Debian's util-linux) limits this process"
    );
    let head =
        format!("POST /admin/couriers\nx-api-token: {OPERATOR}\ncontent-type: application/json");
    let add = |number: u32| {
        let body = format!(r#"{{"name": "Ana Souza", "phone": "+55119900000{number:02}"}}"#);
        server.send(&head, body.as_bytes())
    };
    assert_eq!((add(1).status, server.get("/readyz").status), (201, 200));
    assert!(limit_file_size(&server, "4096"));
    let failed = add(2);
    failed.is_problem(503, "unavailable");
    let unready = server.get("/readyz");
    unready.is_problem(503, "unavailable");
    assert!(
        unready.text().contains("database storage"),
        "{}",
        unready.text()
    );
    assert_eq!(
        server.get("/healthz").status,
        200,
        "a restart would not help"
    );
    // Exceeds the interval of the write probe, which must fail too.
    std::thread::sleep(Duration::from_millis(2_500));
    assert_eq!(
        server.get("/readyz").status,
        503,
        "a probe above the limit fails"
    );
    assert_eq!(server.get("/readyz").status, 503);
    assert!(limit_file_size(&server, "unlimited"));
    await_readiness(&server, 200);
    assert_eq!(add(2).status, 201, "the failed write left no partial data");
}
