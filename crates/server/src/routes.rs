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

use std::sync::Arc;

use axum::{
    Json, Router,
    handler::Handler,
    http::{Method, Uri},
    middleware::{from_fn_with_state, map_response},
    response::{IntoResponse, Response},
    routing::{MethodRouter, any, get},
};
use domain::{RunId, Sequence};
use runtime::{Host, HostError};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::{OpenApi, openapi};
use utoipa_axum::{PathItemExt as _, paste};

use crate::{
    api::Api,
    bodies::TerminalClientMessage,
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

/// Makes the routes and what is said about them from one list. Apart, because the latter takes longer than all else at a
/// start, and few ask for it.
macro_rules! routes {
    ($($module:ident::$handler:ident,)*) => {
        #[derive(OpenApi)]
        #[openapi(
            info(
                title = "Jangdan",
                description = "Runs a team of command-line agents through a plan. Whatever is refused is a Problem, with a fitting status.",
                license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
            ),
            paths($($module::$handler,)*),
            components(schemas(TerminalClientMessage))
        )]
        struct Described;

        fn all() -> Router<Api> {
            let router = Router::new();
            $(let router = paste! { with::<$module::[<__path_ $handler>], _, _>(router, $module::$handler) };)*
            router
        }
    };
}

routes! {
    server::status,
    server::stop,
    runs::list,
    runs::start,
    runs::one,
    runs::rows,
    runs::execute_command,
    runs::inbox,
    pictures::plan,
    pictures::time,
    runs::questions,
    runs::usage,
    tasks::events,
    tasks::one,
    tasks::conversation,
    work::diff,
    work::land,
    work::clean,
    sessions::output,
    sessions::records,
    sessions::input,
    sessions::stop,
    terminal::terminal,
    machine::agents,
    machine::config,
    machine::all_projects,
    plans::list,
    plans::text,
    plans::check,
    plans::start,
    live::live,
}

fn with<P: utoipa::Path, H: Handler<T, Api>, T: 'static>(router: Router<Api>, handler: H) -> Router<Api> {
    let methods = P::methods()
        .iter()
        .fold(MethodRouter::new(), |methods, method| methods.on(method.to_method_filter(), handler.clone()));
    router.route(&P::path(), methods)
}

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

fn answering(api: Api) -> Router {
    let description = get(async || Json(described()).into_response());
    let answers = Arc::clone(&api.answers);
    all().with_state(api).route(DESCRIPTION, description).layer(from_fn_with_state(answers, once))
}

/// Returns what is said about the routes.
fn described() -> openapi::OpenApi {
    let mut description = Described::openapi();
    describe::complete(&mut description);
    description
}

/// Adds what holds for every path.
fn within(router: Router) -> Router {
    router
        .method_not_allowed_fallback(wrong_method)
        .layer(CatchPanicLayer::custom(|_| Failure::ours().into_response()))
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
