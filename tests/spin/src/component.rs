//! The component, compiled to machine code. wasmtime caches the result in the build folder.

use std::path::Path;

use despacho_xtask::{component, place, run::Failure};
use wasmtime::{
    Cache, CacheConfig, Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig,
    component::Component,
};

/// Maximum number of instances.
const INSTANCES: u32 = 200;
/// Maximum number of stacks, one per concurrent request of all instances. It is the default of Spin
/// 4.
const STACKS: u32 = 1000;
/// Maximum memory of an instance, in bytes.
const MEMORY: usize = 128 << 20;

/// A component ready for instantiation, shared by all applications of a process.
#[derive(Clone)]
pub struct CompiledComponent {
    pub(crate) engine: Engine,
    pub(crate) component: Component,
}

impl CompiledComponent {
    /// Compiles the shipped component: the build named by `DESPACHO_COMPONENT`, or a new build.
    pub fn shipped() -> Result<CompiledComponent, Failure> {
        CompiledComponent::of(&component::shipped()?)
    }

    /// Compiles the component in a file.
    pub fn of(wasm: &Path) -> Result<CompiledComponent, Failure> {
        let engine = engine()
            .map_err(|error| Failure::new(format!("cannot create wasmtime's engine: {error:#}")))?;
        let component = Component::from_file(&engine, wasm);
        let component =
            component.map_err(|error| Failure::new(format!("{}: {error:#}", wasm.display())))?;
        Ok(CompiledComponent { engine, component })
    }
}

/// Creates an engine with the defaults of Spin 4: its pool retains memory of ended instances, and
/// code checks an epoch deadline in each loop.
fn engine() -> wasmtime::Result<Engine> {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(INSTANCES)
        .total_core_instances(4 * INSTANCES)
        .total_memories(INSTANCES)
        .total_tables(2 * INSTANCES)
        .total_stacks(STACKS)
        .max_memory_size(MEMORY)
        .linear_memory_keep_resident(2 << 20)
        .table_keep_resident(512 << 10);
    let mut cache = CacheConfig::new();
    cache.with_directory(place::target()?.join("spin-cache"));
    let mut config = Config::new();
    config
        .wasm_component_model_async(true)
        .epoch_interruption(true)
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .cache(Some(Cache::new(cache)?));
    Engine::new(&config)
}
