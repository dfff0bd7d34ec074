//! The binary `despacho`.

/// The system allocator does not return the 19 MiB of each password hash: under many logins 750 MB
/// stayed resident, 78 MB with mimalloc.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    despacho_warp::commands::main()
}
