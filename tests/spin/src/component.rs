//! The component, compiled to machine code once: wasmtime keeps what it compiled below the build folder.

use std::path::Path;

use despacho_xtask::{component, place, run::Failure};
use wasmtime::{
    Cache, CacheConfig, Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, component::Component,
};

/// Instances that may live at once.
const INSTANCES: u32 = 200;
/// Bytes of memory that an instance may have.
const MEMORY: usize = 128 << 20;

/// A component ready to be instantiated, shared by all applications of a process.
#[derive(Clone)]
pub struct Compiled {
    pub(crate) engine: Engine,
    pub(crate) component: Component,
}

impl Compiled {
    /// The component as it ships: the build that `DESPACHO_COMPONENT` names, or else one made now.
    pub fn shipped() -> Result<Compiled, Failure> {
        Compiled::of(&component::shipped()?)
    }

    /// The component in a file.
    pub fn of(wasm: &Path) -> Result<Compiled, Failure> {
        let failed = |error: wasmtime::Error| Failure::new(format!("{}: {error:#}", wasm.display()));
        let engine = engine().map_err(failed)?;
        let component = Component::from_file(&engine, wasm).map_err(failed)?;
        Ok(Compiled { engine, component })
    }
}

/// An engine with what Spin 4 sets by default: its pool keeps so much memory of an ended instance for the next, and code asks at each loop
/// whether its time is over.
fn engine() -> wasmtime::Result<Engine> {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(INSTANCES)
        .total_core_instances(4 * INSTANCES)
        .total_memories(INSTANCES)
        .total_tables(2 * INSTANCES)
        .total_stacks(INSTANCES)
        .max_memory_size(MEMORY)
        .linear_memory_keep_resident(2 << 20)
        .table_keep_resident(512 << 10);
    let mut kept = CacheConfig::new();
    kept.with_directory(place::target()?.join("spin-cache"));
    let mut config = Config::new();
    config
        .wasm_component_model_async(true)
        .epoch_interruption(true)
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .cache(Some(Cache::new(kept)?));
    Engine::new(&config)
}
