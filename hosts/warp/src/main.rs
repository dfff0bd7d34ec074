//! The binary `despacho`.

fn main() -> std::process::ExitCode {
    despacho_warp::commands::main()
}
