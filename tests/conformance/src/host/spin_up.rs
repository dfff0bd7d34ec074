//! The component under `spin up`, on the Spin runtime.

use std::{
    fs::{self, File},
    net::TcpListener,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
};

use bytes::Bytes;
use despacho_xtask::{component, place};
use http::{Request, Response};

use super::{
    CaseSettings, Client, OPERATOR_TOKEN, TestHost,
    spin::{PUBLIC_URL, settings},
};

/// The timeout for starting an application. The first one compiles the component.
const START_TIMEOUT: Duration = Duration::from_secs(120);
/// The timeout for stopping an application after SIGINT.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns why these cases cannot run; `None` if they can.
pub(super) fn missing() -> Option<&'static str> {
    std::env::var_os(component::SPIN)
        .is_none()
        .then_some("`cargo verify --only spin-up` runs them if Spin is installed")
}

/// An application with an empty state directory.
pub(super) struct SpinUp {
    client: Client,
    child: Child,
    _folder: tempfile::TempDir,
}

impl SpinUp {
    pub(super) fn start(overrides: &CaseSettings) -> Result<SpinUp, String> {
        let program = std::env::var_os(component::SPIN)
            .ok_or_else(|| format!("{} is not set", component::SPIN))?;
        let application = application()?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let address = free_address().map_err(|error| error.to_string())?;
        let log = folder.path().join("log");
        let file = File::create(&log).map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command
            .arg("up")
            .arg("--from")
            .arg(application.join(MANIFEST));
        command
            .arg("--listen")
            .arg(&address)
            .arg("--state-dir")
            .arg(folder.path().join("state"));
        let variables = [
            ("SPIN_VARIABLE_ADMIN_TOKEN", OPERATOR_TOKEN.to_owned()),
            ("SPIN_VARIABLE_SECRET", "5a".repeat(32)),
            ("SPIN_VARIABLE_SETTINGS", settings(overrides)?),
        ];
        let public_url = overrides
            .get(PUBLIC_URL)
            .map(|url| ("SPIN_VARIABLE_PUBLIC_URL", url.clone()));
        command
            .envs(variables)
            .envs(public_url)
            .current_dir(folder.path());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(file);
        // `spin up` starts the trigger as a separate process, so signals go to the process group.
        let child = command
            .process_group(0)
            .spawn()
            .map_err(|error| format!("{command:?}: {error}"))?;
        let client = Client::to(&format!("http://{address}"));
        let mut started = SpinUp {
            client,
            child,
            _folder: folder,
        };
        started.wait_until_healthy(&log)?;
        Ok(started)
    }

    fn wait_until_healthy(&mut self, log: &Path) -> Result<(), String> {
        let began = Instant::now();
        loop {
            let request = Request::get("/healthz")
                .body(Bytes::new())
                .map_err(|error| error.to_string())?;
            if self
                .client
                .send(request)
                .is_ok_and(|response| response.status() == 200)
            {
                return Ok(());
            }
            let ended = self.child.try_wait().map_err(|error| error.to_string())?;
            if ended.is_some() || began.elapsed() > START_TIMEOUT {
                let output = std::fs::read_to_string(log).unwrap_or_default();
                return Err(format!(
                    "`spin up` did not start the application ({ended:?}): {output}"
                ));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn signal(&self, name: &str) {
        let group = format!("-{}", self.child.id());
        let mut kill = Command::new("kill");
        // Fails if the process group has already ended.
        let _ = kill
            .args(["-s", name, "--", &group])
            .stderr(Stdio::null())
            .status();
    }
}

impl TestHost for SpinUp {
    fn send(&mut self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        self.client.send(request)
    }

    fn advance(&mut self, _seconds: u32) -> Result<(), String> {
        Err("the clock under `spin up` is the machine's".to_owned())
    }
}

impl Drop for SpinUp {
    fn drop(&mut self) {
        self.signal("INT");
        let began = Instant::now();
        while began.elapsed() < STOP_TIMEOUT && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.signal("KILL");
        let _ = self.child.wait();
    }
}

/// The application's manifest.
const MANIFEST: &str = "spin.toml";
/// The file of the component, which the manifest names.
const COMPONENT: &str = "target/wasm32-wasip2/edge/despacho_spin.wasm";

/// Returns a folder with the application as it is built, without a panel: the repository may
/// contain a built one, and the cases expect none. The folder is created once per process.
fn application() -> Result<PathBuf, String> {
    static APPLICATION: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    APPLICATION
        .get_or_init(|| create_application().map_err(|error| error.to_string()))
        .clone()
}

fn create_application() -> Result<PathBuf, Box<dyn std::error::Error>> {
    let (root, folder, shipped) = (
        place::root()?,
        place::target()?.join("spin-up"),
        component::shipped()?,
    );
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let component = folder.join(COMPONENT);
    fs::create_dir_all(component.parent().unwrap_or(&folder))?;
    fs::copy(root.join(MANIFEST), folder.join(MANIFEST))?;
    fs::copy(shipped, component)?;
    Ok(folder)
}

fn free_address() -> std::io::Result<String> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string())
}
