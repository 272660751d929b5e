//! What is offered, and its description.

mod about;
mod query;
mod texts;

use crate::app::App;
use crate::guard;
use crate::problem::Problem;
use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::Response;
use axum::routing::{get, post};
use std::sync::Arc;
use std::time::Instant;

/// Everything that is offered.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let guarded = Router::new()
        .route("/query", post(query::query))
        .route("/texts", post(texts::add))
        .route("/texts/{id}", get(texts::read).delete(texts::remove))
        .route("/metrics", get(about::metrics))
        .route_layer(from_fn_with_state(Arc::clone(app), guard::guard));
    Router::new()
        .route("/", get(about::page))
        .route("/health", get(about::health))
        .route("/openapi.json", get(about::description))
        .merge(guarded)
        .fallback(nothing)
        .method_not_allowed_fallback(not_allowed)
        .layer(from_fn_with_state(Arc::clone(app), count))
        .layer(map_response(harden))
        .with_state(Arc::clone(app))
}

async fn nothing() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "nothing is offered at this path").hint("see /openapi.json")
}

async fn not_allowed() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "this method is not offered at this path",
    )
    .hint("see /openapi.json")
}

/// Headers that keep browsers from guessing.
async fn harden(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Counts a request and its time.
async fn count(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or_else(|| "other".to_owned(), |path| path.as_str().to_owned());
    let method = match request.method().as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "DELETE" => "DELETE",
        _ => "other",
    };
    let response = next.run(request).await;
    let (status, seconds) = (response.status().as_u16(), begun.elapsed().as_secs_f64());
    app.metrics.answered(method, route, status, seconds);
    response
}
