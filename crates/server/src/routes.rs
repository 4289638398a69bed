//! Every path, what answers it, and the description of both.

mod describe;
mod live;
mod machine;
mod pictures;
mod plans;
mod runs;
mod server;
mod sessions;
mod tasks;
mod terminal;
mod work;

use std::sync::{Arc, OnceLock};

use axum::{
    Json, Router,
    http::{Method, Uri},
    middleware::{from_fn_with_state, map_response},
    response::{IntoResponse, Response},
    routing::{any, get},
};
use domain::{RunId, Sequence};
use runtime::{Host, HostError};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::{OpenApi, openapi};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    api::Api,
    bodies::TerminalWish,
    code::Code,
    guard::{Guard, guard, protect},
    once::once,
    page,
    problem::{Failure, echo},
    token::Token,
};

#[cfg(feature = "typescript")]
pub use runs::RunRows;

/// Where the description of the interface is.
pub const DESCRIPTION: &str = "/api/openapi.json";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Jangdan",
        description = "Runs a team of command-line agents through a plan. Whatever is refused is a Problem, with a fitting status.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    components(schemas(TerminalWish))
)]
struct Described;

/// Returns the router for those who need no token.
pub fn router(api: Api) -> Router {
    within(answering(api).fallback(unknown_path))
}

/// Returns the router for a port: with the page, and a guard before all of it.
pub fn guarded(api: &Api, token: Token, port: u16) -> Router {
    let guarding = Arc::new(Guard::new(token, port));
    // What is no path of the interface belongs to the page.
    let whole = answering(api.clone())
        .route("/api", any(unknown_path))
        .route("/api/", any(unknown_path))
        .route("/api/{*rest}", any(unknown_path))
        .fallback_service(page::routes());
    within(whole).layer(from_fn_with_state(guarding, guard)).layer(map_response(protect))
}

/// All routes. Making them takes longer than anything else at a start. What is said about them is larger than all else
/// that a server at rest has in memory, and is made again for the few who ask.
static ALL: OnceLock<Router<Api>> = OnceLock::new();

fn all() -> &'static Router<Api> {
    // Dropped behind the routes, so that nobody who waits for them waits for that.
    let mut description = None;
    ALL.get_or_init(|| {
        let (router, made) = described();
        description = Some(made);
        router
    })
}

/// Has the routes made, beside whoever opens the log meanwhile.
pub fn prepare() {
    // Without a thread they are made when they are needed.
    let _ = std::thread::Builder::new().name("routes".to_owned()).spawn(|| {
        all();
    });
}

fn answering(api: Api) -> Router {
    let description = get(async || Json(described().1).into_response());
    let answers = Arc::clone(&api.answers);
    all().clone().with_state(api).route(DESCRIPTION, description).layer(from_fn_with_state(answers, once))
}

/// Adds what holds for every path.
fn within(router: Router) -> Router {
    router
        .method_not_allowed_fallback(wrong_method)
        .layer(CatchPanicLayer::custom(|_| Failure::ours().into_response()))
}

/// Returns the routes and what is said about them; both come from the same list.
pub fn described() -> (Router<Api>, openapi::OpenApi) {
    let (router, mut description) = OpenApiRouter::with_openapi(Described::openapi())
        .routes(routes!(server::status))
        .routes(routes!(server::stop))
        .routes(routes!(runs::list, runs::start))
        .routes(routes!(runs::one))
        .routes(routes!(runs::rows))
        .routes(routes!(runs::wish))
        .routes(routes!(runs::inbox))
        .routes(routes!(pictures::plan))
        .routes(routes!(pictures::time))
        .routes(routes!(runs::questions))
        .routes(routes!(runs::usage))
        .routes(routes!(tasks::events))
        .routes(routes!(tasks::one))
        .routes(routes!(tasks::conversation))
        .routes(routes!(work::diff))
        .routes(routes!(work::land))
        .routes(routes!(work::clean))
        .routes(routes!(sessions::output))
        .routes(routes!(sessions::records))
        .routes(routes!(sessions::input))
        .routes(routes!(sessions::stop))
        .routes(routes!(terminal::terminal))
        .routes(routes!(machine::agents))
        .routes(routes!(machine::config))
        .routes(routes!(machine::all_projects))
        .routes(routes!(plans::list))
        .routes(routes!(plans::text))
        .routes(routes!(plans::check))
        .routes(routes!(plans::start))
        .routes(routes!(live::live))
        .split_for_parts();
    describe::complete(&mut description);
    (router, description)
}

/// Tells whether there is such a run.
fn known(host: &Host, run: &RunId) -> Result<(), Failure> {
    if host.log().read(run, Sequence(0), 1)?.is_empty() {
        return Err(HostError::UnknownRun { run: run.clone() }.into());
    }
    Ok(())
}

async fn unknown_path(uri: Uri) -> Failure {
    let error = format!("there is no {}", echo(uri.path()));
    Failure::new(Code::UnknownPath, error, format!("GET {DESCRIPTION} lists all paths"))
}

async fn wrong_method(method: Method, uri: Uri) -> Response {
    let error = format!("{} can't be used on {}", echo(method.as_str()), echo(uri.path()));
    let hint = format!("GET {DESCRIPTION} says what can");
    Failure::new(Code::WrongMethod, error, hint).into_response()
}
