//! The report of a run, as data or as a file for people.

use axum::{
    Json,
    extract::State,
    http::header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use domain::{Locale, RunId};
use runtime::HostError;
use views::{ReportForm, RunReport, render_report};

use crate::{
    api::{Api, now},
    extract::{PathParams, QueryPairs, QueryReader, RequestLocale, invalid_query_error},
    problem::{ApiError, Problem},
};

/// Returns the report of a run: what was done, what proves it, what it took, and what nothing proves.
///
/// Markdown and HTML are files to save, in the language of the request.
#[utoipa::path(
    get, path = "/api/runs/{run}/report",
    params(
        ("run" = String, Path, description = "id of the run"),
        ("as" = Option<String>, Query, description = "json, markdown or html [default: json]"),
        ("locale" = Option<String>, Query, description = "en or ko [default: the language of the request]"),
    ),
    responses(
        (status = OK, body = RunReport),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn run_report(
    State(api): State<Api>,
    RequestLocale(locale): RequestLocale,
    PathParams(run): PathParams<RunId>,
    query: QueryPairs,
) -> Result<Response, ApiError> {
    let mut query = QueryReader::new(query);
    let form = query.take::<String>("as")?;
    let language = query.take::<String>("locale")?;
    query.finish()?;
    let locale = match language.as_deref() {
        None => locale,
        Some("en") => Locale::En,
        Some("ko") => Locale::Ko,
        Some(_) => return Err(invalid_query_error("locale must be en or ko.")),
    };
    let form = match form.as_deref() {
        None | Some("json") => None,
        Some("markdown") => Some((ReportForm::Markdown, "text/markdown; charset=utf-8", "md")),
        Some("html") => Some((ReportForm::Html, "text/html; charset=utf-8", "html")),
        Some(_) => return Err(invalid_query_error("as must be json, markdown or html.")),
    };
    let report = api.run_blocking(move |host| {
        let snapshot = host.run_snapshot(&run)?;
        RunReport::of_rows(snapshot.views.rows(), now()).ok_or_else(|| HostError::UnknownRun { run }.into())
    });
    let report = report.await?;
    let Some((form, content_type, extension)) = form else { return Ok(Json(report).into_response()) };
    // Saved and not shown: a document with words of agents does not belong to the origin of the page.
    let disposition = format!("attachment; filename=\"{}.{extension}\"", report.run);
    let headers = [(CONTENT_TYPE, content_type.to_owned()), (CONTENT_DISPOSITION, disposition)];
    Ok((headers, render_report(&report, form, locale)).into_response())
}
