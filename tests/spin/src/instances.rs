//! Creation, reuse and end of instances.

use std::{
    collections::BTreeMap,
    future::pending,
    path::PathBuf,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use despacho_xtask::place;
use tokio::time::{Sleep, sleep};
use wasmtime::{
    Engine, Store, StoreContextMut,
    component::{Component, GuestTaskId, Linker, ResourceTable},
};
use wasmtime_wasi::{
    FsPerms, WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView, p2::pipe::MemoryOutputPipe,
};
use wasmtime_wasi_http::{
    WasiHttpCtx, WasiHttpCtxView, WasiHttpView,
    handler::{
        HandlerState, Instance, ProxyPre, ShouldAccept, WorkerExpiration, WorkerState, WorkerStatus,
    },
    p3::bindings::ServicePre,
};

use crate::{
    Clock,
    bindings::spin,
    component::CompiledComponent,
    options::{Options, Reuse},
    outbound::Calls,
    postgres::{self, Pool, Postgres},
    sqlite::{self, Sqlite, Store as Database},
    stats::{MemoryWatch, Stats},
    variables::Variables,
};

/// Traps an instance at a chosen statement, to simulate a failure of the machine.
#[derive(Clone)]
pub(crate) struct TrapTrigger {
    stats: Arc<Stats>,
    at: Option<u64>,
}

impl TrapTrigger {
    /// Counts a statement, and traps at the chosen one.
    pub(crate) fn check(&self) -> wasmtime::Result<()> {
        let number = self.stats.statement();
        if self.at == Some(number) {
            return Err(wasmtime::format_err!(
                "trap at statement {number}, requested by the test"
            ));
        }
        Ok(())
    }
}

/// The host state of an instance.
pub(crate) struct State {
    table: ResourceTable,
    wasi: WasiCtx,
    http: WasiHttpCtx,
    calls: Calls,
    database: Database,
    pool: Pool,
    variables: Variables,
    trap: TrapTrigger,
    watch: MemoryWatch,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView {
            hooks: &mut self.calls,
            table: &mut self.table,
            ctx: &mut self.http,
        }
    }
}

/// A component of an application, and the host state of its instances.
#[derive(Clone)]
pub(crate) struct Application {
    engine: Engine,
    pre: Arc<ProxyPre<State>>,
    database: Database,
    pool: Pool,
    variables: Variables,
    calls: Calls,
    files: BTreeMap<&'static str, PathBuf>,
    reuse: Reuse,
    trap: TrapTrigger,
    clock: Clock,
    log: Option<MemoryOutputPipe>,
    pub(crate) stats: Arc<Stats>,
}

impl Application {
    pub(crate) fn new(
        compiled: &CompiledComponent,
        options: &Options,
    ) -> wasmtime::Result<Application> {
        let (stats, root) = (Arc::new(Stats::default()), place::root()?);
        Ok(Application {
            engine: compiled.engine.clone(),
            pre: Arc::new(link(&compiled.engine, &compiled.component)?),
            database: match &options.database {
                None => Database::None,
                Some(_) if !options.state_directory => Database::Memory,
                Some(file) => Database::File(file.clone()),
            },
            pool: Pool::new(options.postgres_connections),
            variables: Variables(Arc::new(options.variables.clone())),
            calls: Calls::to(&options.outbound, &options.blocked, &options.trusted)?,
            files: options
                .files
                .iter()
                .map(|(path, folder)| (*path, root.join(folder)))
                .collect(),
            reuse: options.reuse,
            trap: TrapTrigger {
                stats: Arc::clone(&stats),
                at: options.trap_at,
            },
            clock: options.clock.clone(),
            log: options.log.clone(),
            stats,
        })
    }
}

/// Prepares the instantiation of a component with Spin's interfaces.
fn link(engine: &Engine, component: &Component) -> wasmtime::Result<ProxyPre<State>> {
    let mut linker = Linker::<State>::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    wasmtime_wasi::p3::add_to_linker(&mut linker)?;
    wasmtime_wasi_http::p3::add_to_linker(&mut linker)?;
    spin::sqlite::sqlite::add_to_linker::<_, Sqlite>(&mut linker, |state: &mut State| {
        sqlite::View {
            table: &mut state.table,
            database: &state.database,
            trap: &state.trap,
        }
    })?;
    spin::postgres::postgres::add_to_linker::<_, Postgres>(&mut linker, |state: &mut State| {
        postgres::View {
            table: &mut state.table,
            pool: &state.pool,
            trap: &state.trap,
        }
    })?;
    spin::variables::variables::add_to_linker::<_, Variables>(&mut linker, |state: &mut State| {
        &mut state.variables
    })?;
    Ok(ProxyPre::P3(ServicePre::new(
        linker.instantiate_pre(component)?,
    )?))
}

impl HandlerState for Application {
    type StoreData = State;
    type WorkerExpiration = Expire;
    type WorkerState = Work;

    async fn instantiate(&self) -> wasmtime::Result<Instance<State, Expire, Work>> {
        let started = Instant::now();
        let mut wasi = WasiCtxBuilder::new();
        wasi.inherit_stderr().wall_clock(self.clock.clone());
        if let Some(log) = &self.log {
            wasi.stderr(log.clone());
        }
        for (path, folder) in &self.files {
            wasi.preopened_dir(folder, path, FsPerms::ReadOnly)?;
        }
        let state = State {
            table: ResourceTable::new(),
            wasi: wasi.build(),
            http: WasiHttpCtx::new(),
            calls: self.calls.clone(),
            database: self.database.clone(),
            pool: self.pool.clone(),
            variables: self.variables.clone(),
            trap: self.trap.clone(),
            watch: MemoryWatch::new(Arc::clone(&self.stats)),
        };
        let mut store = Store::new(&self.engine, state);
        // As in Spin: code checks the deadline, which is practically infinite.
        store.set_epoch_deadline(u64::MAX / 2);
        store.limiter(|state| &mut state.watch);
        let proxy = self.pre.instantiate_async(&mut store).await?;
        self.stats
            .started(u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX));
        Ok(Instance {
            store,
            proxy,
            view: |state| state.http(),
            expiration: Expire {
                idle: self.reuse.idle,
                sleep: Box::pin(sleep(self.reuse.idle)),
            },
            state: Work {
                reuse: self.reuse,
                stats: Arc::clone(&self.stats),
            },
        })
    }
}

/// Expires idle instances. As in Spin without `--request-timeout`, processing time is not limited.
pub(crate) struct Expire {
    idle: Duration,
    sleep: Pin<Box<Sleep>>,
}

impl WorkerExpiration for Expire {
    fn poll(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        status: WorkerStatus,
        since: Instant,
    ) -> Poll<()> {
        if !matches!(status, WorkerStatus::Idle) {
            return Poll::Pending;
        }
        let deadline = (since + self.idle).into();
        if self.sleep.deadline() != deadline {
            self.sleep.as_mut().reset(deadline);
        }
        self.sleep.as_mut().poll(context)
    }
}

/// The request limits of an instance, and the record of its end.
pub(crate) struct Work {
    reuse: Reuse,
    stats: Arc<Stats>,
}

impl WorkerState for Work {
    type StoreData = State;
    type RequestData = ();

    fn should_accept_request(&self, concurrent: usize, total: usize) -> ShouldAccept {
        if total >= self.reuse.requests {
            ShouldAccept::Never
        } else if concurrent >= self.reuse.max_concurrent {
            ShouldAccept::No
        } else {
            ShouldAccept::Yes
        }
    }

    fn on_request_start(
        &self,
        _: StoreContextMut<'_, State>,
        (): (),
        _: GuestTaskId,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + Sync + 'static>> {
        Box::pin(pending())
    }

    fn drop(&self, store: Store<State>, result: Result<(), wasmtime::Error>) {
        if let Err(error) = result {
            self.stats.trapped();
            eprintln!("an instance ended: {error:#}");
        }
        drop(store);
    }
}
