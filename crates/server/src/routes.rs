//! The routes of the HTTP interface, and their OpenAPI description.

mod access;
mod diagrams;
mod live;
mod openapi_document;
mod plans;
mod report;
mod results;
mod runs;
mod server;
mod sessions;
mod setup;
mod tasks;
mod terminal;

use std::sync::Arc;

use axum::{
    Json, Router,
    handler::Handler,
    http::{Method, Uri},
    middleware::{from_fn, from_fn_with_state, map_response},
    response::{IntoResponse, Response},
    routing::{MethodRouter, any, get},
};
use domain::{RunId, Sequence};
use runtime::{Host, HostError};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::{OpenApi, openapi};
use utoipa_axum::{PathItemExt as _, paste};

use crate::{
    access::{AccessGuard, add_security_headers, check_access, check_socket_access},
    api::Api,
    bodies::TerminalClientMessage,
    idempotency::run_once_per_key,
    page,
    problem::{ApiError, shorten_client_text},
    problem_code::ProblemCode,
    problem_korean::translate_problem,
    request_trace::with_request_trace,
};

#[cfg(feature = "typescript")]
pub(crate) use runs::RunRows;

/// Path of the OpenAPI description.
pub(crate) const OPENAPI_PATH: &str = "/api/openapi.json";

/// Declares the routes and their description from one list. The description is built on request, because building it
/// takes longer than the rest of a server's start.
macro_rules! routes {
    ($($module:ident::$handler:ident,)*) => {
        #[derive(OpenApi)]
        #[openapi(
            info(
                title = "Jangdan",
                description = "Runs a team of command-line agents through a plan. Every error is a problem document (RFC 9457) with a matching HTTP status.",
                license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
            ),
            paths($($module::$handler,)*),
            components(schemas(TerminalClientMessage))
        )]
        struct ApiDescription;

        fn api_routes() -> Router<Api> {
            let router = Router::new();
            $(let router = paste! { add_route::<$module::[<__path_ $handler>], _, _>(router, $module::$handler) };)*
            router
        }
    };
}

routes! {
    server::status,
    server::stop_server,
    access::create_link,
    access::create_confirmation_code,
    access::rotate_token,
    runs::list_runs,
    runs::list_damaged_runs,
    runs::start_run,
    runs::get_run,
    runs::rows,
    runs::execute_command,
    runs::inbox,
    diagrams::run_layout,
    diagrams::run_schedule,
    report::run_report,
    runs::questions,
    runs::usage,
    tasks::events,
    tasks::get_task,
    tasks::conversation,
    tasks::session_conversation,
    results::diff,
    results::phase_diff,
    results::land_run,
    results::remove_finished_worktrees,
    sessions::output,
    sessions::records,
    sessions::send_input,
    sessions::stop_session,
    terminal::open_terminal,
    setup::agents,
    setup::config,
    setup::list_projects,
    plans::list_plans,
    plans::read_plan_text,
    plans::check,
    plans::start_plan,
    plans::preview_start,
    live::open_event_stream,
}

fn add_route<P: utoipa::Path, H: Handler<T, Api>, T: 'static>(
    router: Router<Api>,
    handler: H,
) -> Router<Api> {
    let methods = P::methods()
        .iter()
        .fold(MethodRouter::new(), |methods, method| methods.on(method.to_method_filter(), handler.clone()));
    router.route(&P::path(), methods)
}

/// Returns a router without access checks.
pub(crate) fn router_without_access_checks(api: Api) -> Router {
    with_request_trace(with_error_responses(api_router(api).fallback(unknown_path_error)))
}

/// Returns the router of the socket, behind the access check.
pub(crate) fn socket_router(api: &Api) -> Router {
    let router = with_error_responses(api_router(api.clone()).fallback(unknown_path_error));
    let router = router.layer(from_fn_with_state(api.clone(), check_socket_access));
    with_request_trace(router.layer(from_fn(translate_problem)))
}

/// Returns the router of a port: with the page, behind the access check.
pub(crate) fn guarded_router(api: &Api, port: u16) -> Router {
    let guard = Arc::new(AccessGuard::new(api.clone(), port));
    // Every path outside of /api belongs to the page.
    let router = api_router(api.clone())
        .route("/api", any(unknown_path_error))
        .route("/api/", any(unknown_path_error))
        .route("/api/{*rest}", any(unknown_path_error))
        .fallback_service(page::routes());
    let router = with_error_responses(router)
        .layer(from_fn_with_state(guard, check_access))
        .layer(from_fn(translate_problem))
        .layer(map_response(add_security_headers));
    with_request_trace(router)
}

fn api_router(api: Api) -> Router {
    let description = get(async || Json(openapi_document()).into_response());
    let keys = Arc::clone(&api.idempotency_keys);
    api_routes()
        .with_state(api)
        .route(OPENAPI_PATH, description)
        .layer(from_fn(translate_problem))
        .layer(from_fn_with_state(keys, run_once_per_key))
}

fn openapi_document() -> openapi::OpenApi {
    let mut description = ApiDescription::openapi();
    openapi_document::add_shared_parts(&mut description);
    description
}

/// Adds the responses to wrong methods and panics.
fn with_error_responses(router: Router) -> Router {
    router
        .method_not_allowed_fallback(wrong_method_error)
        .layer(CatchPanicLayer::custom(|_| ApiError::internal().into_response()))
}

fn check_run_exists(host: &Host, run: &RunId) -> Result<(), ApiError> {
    if host.log().read(run, Sequence(0), 1)?.is_empty() {
        return Err(HostError::UnknownRun { run: run.clone() }.into());
    }
    Ok(())
}

async fn unknown_path_error(uri: Uri) -> ApiError {
    let detail = format!("There is no {}.", shorten_client_text(uri.path()));
    ApiError::new(ProblemCode::UnknownPath, detail, format!("GET {OPENAPI_PATH} lists all paths."))
}

async fn wrong_method_error(method: Method, uri: Uri) -> Response {
    let detail = format!(
        "{} does not support {}.",
        shorten_client_text(uri.path()),
        shorten_client_text(method.as_str())
    );
    let hint = format!("GET {OPENAPI_PATH} lists the methods.");
    ApiError::new(ProblemCode::MethodNotAllowed, detail, hint).into_response()
}
