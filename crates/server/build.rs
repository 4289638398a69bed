//! Builds the page in `web/`, and writes the table of its files.
//!
//! Runs only when something in `web/` changed. Without Node, or where its packages can't be had, the build goes on with a
//! page that says so. `JANGDAN_WEB=none` leaves the page out; `JANGDAN_WEB=FOLDER` takes one that was built before.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

/// What the page is made from; tests and screenshots are not in it.
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

/// Why there is no page, in a line.
type Missing = String;

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
        "none" => Err("It was left out on purpose (JANGDAN_WEB=none).".to_owned()),
        folder => Ok(PathBuf::from(folder)),
    };
    let folder = match built {
        Ok(folder) => folder,
        Err(missing) => {
            if env::var_os("JANGDAN_WEB").is_none() {
                println!("cargo::warning=this build has no web page: {missing}");
                // A file that is never there: the next build looks again.
                println!("cargo::rerun-if-changed={}", out.join("look-again").display());
            }
            placeholder(&out, &missing)?
        }
    };
    fs::write(out.join("assets.rs"), table(&folder)?)?;
    Ok(())
}

/// Builds the page. What the user's machine lacks is no mistake; a page that does not build is one.
fn build(web: &Path, out: &Path) -> Result<Result<PathBuf, Missing>, Box<dyn Error>> {
    if let Some(missing) = node_missing() {
        return Ok(Err(missing));
    }
    // Builds for several targets share `web/node_modules`.
    let lock = match File::create(web.join(".lock")).and_then(|file| file.lock().map(|()| file)) {
        Ok(lock) => lock,
        Err(error) => return Ok(Err(format!("{} can't be written: {error}", web.display()))),
    };
    if let Err(missing) = install(web) {
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
        return Err(format!("the page in web/ could not be built: vite ended with {status}").into());
    }
    Ok(Ok(folder))
}

/// Tells what is missing before the page can be built.
fn node_missing() -> Option<Missing> {
    let wanted = format!("Node {}.{} or newer with npm builds it", NODE_MIN.0, NODE_MIN.1);
    let said = Command::new("node").arg("--version").output().ok().filter(|said| said.status.success());
    let Some(said) = said else { return Some(format!("{wanted}, and there is no Node.")) };
    let version = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    let mut numbers = version.trim_start_matches('v').split('.').map(|part| part.parse().unwrap_or(0));
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    (found < NODE_MIN).then(|| format!("{wanted}, and this is Node {version}."))
}

/// Installs the packages that the lock file names, unless they are there.
fn install(web: &Path) -> Result<(), Missing> {
    let modules = web.join("node_modules");
    // npm writes this file at the end of an installation.
    let installed = fs::metadata(modules.join(".package-lock.json")).and_then(|file| file.modified());
    let wanted = fs::metadata(web.join("package-lock.json")).and_then(|file| file.modified());
    if let (Ok(installed), Ok(wanted)) = (installed, wanted)
        && installed >= wanted
        && modules.join("vite").is_dir()
    {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    // Not `npm ci`: it refuses a lock file without the builds for other systems, and not every registry has those.
    npm.args(["install", "--no-save", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]);
    // Who has no network hears so at once, not after minutes of trying.
    npm.args(["--fetch-retries=1", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=2000"]);
    npm.current_dir(web);
    // Whoever tests the page has its tools, and keeps them.
    if !modules.join(".bin/biome").exists() {
        npm.arg("--omit=dev");
    }
    let done = npm.output().map_err(|error| format!("npm could not be started: {error}."))?;
    if done.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&done.stderr).into_owned();
    let word = words.lines().find(|line| line.contains("error")).unwrap_or("it said nothing").trim();
    Err(format!("`npm install` in web/ failed: {word}"))
}

/// Writes the page that stands in the place of the page.
fn placeholder(out: &Path, missing: &str) -> Result<PathBuf, Box<dyn Error>> {
    let folder = out.join("missing");
    fs::create_dir_all(&folder)?;
    let safe = missing.replace('&', "&amp;").replace('<', "&lt;");
    fs::write(folder.join("index.html"), fs::read_to_string("missing.html")?.replace("REASON", &safe))?;
    Ok(folder)
}

/// Writes the table of the files as Rust.
fn table(folder: &Path) -> Result<String, Box<dyn Error>> {
    let mut paths = Vec::new();
    files(folder, &mut paths)?;
    let mut names: Vec<_> =
        paths.iter().filter_map(|path| path.strip_prefix(folder).ok()?.to_str()).collect();
    names.retain(|name| !name.ends_with(".br") && !name.ends_with(".gz"));
    names.sort_unstable();
    let mut text = String::from("static ASSETS: &[Asset] = &[\n");
    for name in names {
        let path = folder.join(name);
        let bytes = fs::read(&path)?;
        let smaller = |ending: &str| {
            let path = folder.join(format!("{name}.{ending}"));
            if path.exists() { format!("Some(include_bytes!({path:?}))") } else { "None".to_owned() }
        };
        // Vite puts a mark of the content into the names of what it makes.
        let is_immutable = name.starts_with("assets/");
        writeln!(
            text,
            "    Asset {{ path: {name:?}, content_type: {:?}, etag: {:?}, is_immutable: {is_immutable}, \
             plain: include_bytes!({path:?}), brotli: {}, gzip: {} }},",
            content_type(name),
            format!("\"{:016x}\"", mark(&bytes)),
            smaller("br"),
            smaller("gz"),
        )?;
    }
    text.push_str("];\n");
    Ok(text)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, found)?;
        } else {
            found.push(path);
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

/// FNV-1a; tells versions apart, and that is all.
fn mark(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
