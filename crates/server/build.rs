//! Builds the page in `web/` and generates the table of its files.
//!
//! Runs only when something in `web/` changed. Without Node or its packages, the build continues with a placeholder page.
//! `JANGDAN_WEB=none` omits the page; `JANGDAN_WEB=FOLDER` uses one that was built before.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

/// Sources of the page, without tests and screenshots.
const SOURCES: &[&str] = &[
    "index.html",
    "package.json",
    "package-lock.json",
    ".npmrc",
    "vite.config.ts",
    "alias.ts",
    "compress.ts",
    "proxy.ts",
    "src",
    "public",
];
/// The oldest Node that Vite runs on.
const NODE_MIN: (u32, u32) = (20, 19);

/// Why the page is missing, in one line.
type MissingPageReason = String;

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let web = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../web");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=missing.html");
    println!("cargo::rerun-if-env-changed=JANGDAN_WEB");
    for name in SOURCES {
        println!("cargo::rerun-if-changed={}", web.join(name).display());
    }
    let built = match env::var("JANGDAN_WEB").unwrap_or_default().as_str() {
        "" => build(&web, &out)?,
        "none" => Err("It was omitted (JANGDAN_WEB=none).".to_owned()),
        folder => Ok(PathBuf::from(folder)),
    };
    let folder = match built {
        Ok(folder) => folder,
        Err(missing) => {
            if env::var_os("JANGDAN_WEB").is_none() {
                println!("cargo::warning=this build has no web page: {missing}");
                // This file never exists, so the next build tries again.
                println!("cargo::rerun-if-changed={}", out.join("try-again").display());
            }
            write_placeholder_page(&out, &missing)?
        }
    };
    fs::write(out.join("assets.rs"), asset_table(&folder)?)?;
    Ok(())
}

/// Builds the page. Missing tools are not an error; a page that does not build is one.
fn build(web: &Path, out: &Path) -> Result<Result<PathBuf, MissingPageReason>, Box<dyn Error>> {
    if let Some(missing) = find_node_problem() {
        return Ok(Err(missing));
    }
    // Builds for several targets share `web/node_modules`.
    let lock = match File::create(web.join(".lock")).and_then(|file| file.lock().map(|()| file)) {
        Ok(lock) => lock,
        Err(error) => return Ok(Err(format!("cannot write to {}: {error}", web.display()))),
    };
    if let Err(missing) = install_packages(web) {
        return Ok(Err(missing));
    }
    let folder = out.join("dist");
    let status = Command::new("node")
        .args(["node_modules/vite/bin/vite.js", "build", "--logLevel", "warn", "--outDir"])
        .arg(&folder)
        .current_dir(web)
        .status()?;
    drop(lock);
    if !status.success() {
        return Err(format!("cannot build the page in web/: vite ended with {status}").into());
    }
    Ok(Ok(folder))
}

/// Returns why Node cannot build the page; `None` if it can.
fn find_node_problem() -> Option<MissingPageReason> {
    let requirement = format!("The build requires Node {}.{} or newer with npm", NODE_MIN.0, NODE_MIN.1);
    let output = Command::new("node").arg("--version").output().ok().filter(|output| output.status.success());
    let Some(output) = output else { return Some(format!("{requirement}; Node is not installed.")) };
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let mut numbers = version.trim_start_matches('v').split('.').map(|part| part.parse().unwrap_or(0));
    let installed = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    (installed < NODE_MIN).then(|| format!("{requirement}; Node {version} is installed."))
}

/// Installs the packages of the lock file, unless they are installed.
fn install_packages(web: &Path) -> Result<(), MissingPageReason> {
    let modules = web.join("node_modules");
    // npm writes this file at the end of an installation.
    let installed = fs::metadata(modules.join(".package-lock.json")).and_then(|file| file.modified());
    let locked = fs::metadata(web.join("package-lock.json")).and_then(|file| file.modified());
    if let (Ok(installed), Ok(locked)) = (installed, locked)
        && installed >= locked
        && modules.join("vite").is_dir()
    {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    // Not `npm ci`: it refuses a lock file without the builds for other systems, and not every registry has those.
    npm.args(["install", "--no-save", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]);
    // Without network it fails at once instead of retrying for minutes.
    npm.args(["--fetch-retries=1", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=2000"]);
    npm.current_dir(web);
    // Keeps the development tools if they are installed.
    if !modules.join(".bin/biome").exists() {
        npm.arg("--omit=dev");
    }
    let output = npm.output().map_err(|error| format!("npm cannot be started: {error}."))?;
    if output.status.success() {
        return Ok(());
    }
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let message = messages.lines().find(|line| line.contains("error")).unwrap_or("no error message").trim();
    Err(format!("`npm install` in web/ failed: {message}"))
}

/// Writes the placeholder page.
fn write_placeholder_page(out: &Path, missing: &str) -> Result<PathBuf, Box<dyn Error>> {
    let folder = out.join("missing");
    fs::create_dir_all(&folder)?;
    let safe = missing.replace('&', "&amp;").replace('<', "&lt;");
    fs::write(folder.join("index.html"), fs::read_to_string("missing.html")?.replace("REASON", &safe))?;
    Ok(folder)
}

/// Returns the table of the files as Rust code.
fn asset_table(folder: &Path) -> Result<String, Box<dyn Error>> {
    let mut paths = Vec::new();
    collect_files(folder, &mut paths)?;
    let mut names: Vec<_> =
        paths.iter().filter_map(|path| path.strip_prefix(folder).ok()?.to_str()).collect();
    names.retain(|name| !name.ends_with(".br") && !name.ends_with(".gz"));
    names.sort_unstable();
    let mut text = String::from("static ASSETS: &[Asset] = &[\n");
    for name in names {
        let path = folder.join(name);
        let bytes = fs::read(&path)?;
        let compressed = |extension: &str| {
            let path = folder.join(format!("{name}.{extension}"));
            if path.exists() { format!("Some(include_bytes!({path:?}))") } else { "None".to_owned() }
        };
        // Vite puts a hash of the content into the names of these files.
        let is_immutable = name.starts_with("assets/");
        writeln!(
            text,
            "    Asset {{ path: {name:?}, content_type: {:?}, etag: {:?}, is_immutable: {is_immutable}, \
             plain: include_bytes!({path:?}), brotli: {}, gzip: {} }},",
            content_type(name),
            format!("\"{:016x}\"", content_hash(&bytes)),
            compressed("br"),
            compressed("gz"),
        )?;
    }
    text.push_str("];\n");
    Ok(text)
}

fn collect_files(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect_files(&path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

/// Returns the FNV-1a hash, which only distinguishes versions.
fn content_hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
