//! Builds the guest and runs it under wasmtime, with the WASI calls required for standard input and
//! output.

use std::error::Error;
use std::time::{Duration, Instant};

use despacho_xtask::{place, run};
use wasmtime::{Caller, Engine, Extern, Linker, Module, Store};

/// The guest's target; `rustup target add wasm32-wasip1` installs it.
pub const TARGET: &str = "wasm32-wasip1";

/// A compiled guest.
pub struct Guest {
    engine: Engine,
    module: Module,
}

/// A response of the guest.
pub struct Response {
    /// The response line.
    pub text: String,
    /// The time between the line `begin` and the response, which is the engine's time. Zero if
    /// there was no such line.
    pub elapsed: Duration,
}

/// The guest's input and output.
struct Pipe {
    input: Vec<u8>,
    read: usize,
    line: Vec<u8>,
    started: Option<Instant>,
    responses: Vec<Response>,
}

impl Guest {
    /// Builds the guest with cargo in release mode, and compiles it.
    pub fn build() -> Result<Guest, Box<dyn Error>> {
        let arguments = [
            "cargo",
            "build",
            "--quiet",
            "--locked",
            "--release",
            "--package",
            "despacho-route",
            "--example",
            "line",
        ];
        let mut build = run::command(
            &place::root()?,
            &[&arguments[..], &["--target", TARGET]].concat(),
        );
        build.env_remove("RUSTFLAGS");
        if !build.status()?.success() {
            return Err(format!(
                "building the guest failed; `rustup target add {TARGET}` may be required"
            )
            .into());
        }
        let wasm = place::target()?
            .join(TARGET)
            .join("release/examples/line.wasm");
        let engine = Engine::default();
        let module = Module::from_file(&engine, &wasm)?;
        Ok(Guest { engine, module })
    }

    /// Runs the guest with one request per line and returns its responses.
    pub fn run(&self, requests: &[String]) -> Result<Vec<Response>, Box<dyn Error>> {
        let mut input = requests.join("\n").into_bytes();
        input.push(b'\n');
        let pipe = Pipe {
            input,
            read: 0,
            line: Vec::new(),
            started: None,
            responses: Vec::new(),
        };
        let mut store = Store::new(&self.engine, pipe);
        let mut linker: Linker<Pipe> = Linker::new(&self.engine);
        let wasi = "wasi_snapshot_preview1";
        linker.func_wrap(
            wasi,
            "fd_read",
            |caller: Caller<'_, Pipe>, _: i32, list: i32, count: i32, done: i32| {
                transfer(caller, list, count, done, Pipe::read_input)
            },
        )?;
        linker.func_wrap(
            wasi,
            "fd_write",
            |caller: Caller<'_, Pipe>, _: i32, list: i32, count: i32, done: i32| {
                transfer(caller, list, count, done, Pipe::write_output)
            },
        )?;
        linker.func_wrap(
            wasi,
            "environ_sizes_get",
            |mut caller: Caller<'_, Pipe>, count: i32, size: i32| {
                let Some(Extern::Memory(memory)) = caller.get_export("memory") else {
                    return EINVAL;
                };
                let data = memory.data_mut(&mut caller);
                let written = put(data, count, 0).and_then(|()| put(data, size, 0));
                if written.is_some() { 0 } else { EINVAL }
            },
        )?;
        linker.func_wrap(wasi, "environ_get", |_: Caller<'_, Pipe>, _: i32, _: i32| 0)?;
        linker.define_unknown_imports_as_traps(&self.module)?;
        let instance = linker.instantiate(&mut store, &self.module)?;
        instance
            .get_typed_func::<(), ()>(&mut store, "_start")?
            .call(&mut store, ())?;
        Ok(store.into_data().responses)
    }
}

/// WASI's `EINVAL`.
const EINVAL: i32 = 28;

/// Transfers bytes between the pipe and the guest's buffers. Returns a WASI error number.
fn transfer(
    mut caller: Caller<'_, Pipe>,
    list: i32,
    count: i32,
    done: i32,
    move_bytes: fn(&mut Pipe, &mut [u8]) -> usize,
) -> i32 {
    let Some(Extern::Memory(memory)) = caller.get_export("memory") else {
        return EINVAL;
    };
    let (data, pipe) = memory.data_and_store_mut(&mut caller);
    let mut total = 0;
    for i in 0..count {
        let buffer = get(data, list + 8 * i).zip(get(data, list + 8 * i + 4));
        let Some(bytes) = buffer.and_then(|(at, size)| data.get_mut(at..at + size)) else {
            return EINVAL;
        };
        total += move_bytes(pipe, bytes);
    }
    let written = u32::try_from(total)
        .ok()
        .and_then(|total| put(data, done, total));
    if written.is_some() { 0 } else { EINVAL }
}

fn get(data: &[u8], at: i32) -> Option<usize> {
    let at = usize::try_from(at).ok()?;
    let bytes = data.get(at..at + 4)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(bytes)).ok()
}

fn put(data: &mut [u8], at: i32, value: u32) -> Option<()> {
    let at = usize::try_from(at).ok()?;
    data.get_mut(at..at + 4)?
        .copy_from_slice(&value.to_le_bytes());
    Some(())
}

impl Pipe {
    /// Fills a buffer of the guest from the input.
    fn read_input(&mut self, buffer: &mut [u8]) -> usize {
        let size = buffer.len().min(self.input.len() - self.read);
        buffer[..size].copy_from_slice(&self.input[self.read..self.read + size]);
        self.read += size;
        size
    }

    /// Records the guest's output line by line, with the time of each.
    fn write_output(&mut self, buffer: &mut [u8]) -> usize {
        for &byte in buffer.iter() {
            if byte != b'\n' {
                self.line.push(byte);
                continue;
            }
            let text = String::from_utf8_lossy(&self.line).into_owned();
            self.line.clear();
            if text == "begin" {
                self.started = Some(Instant::now());
            } else {
                let elapsed = self
                    .started
                    .take()
                    .map_or(Duration::ZERO, |started| started.elapsed());
                self.responses.push(Response { text, elapsed });
            }
        }
        buffer.len()
    }
}
