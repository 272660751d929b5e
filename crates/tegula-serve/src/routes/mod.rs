//! What is offered, and its description.

mod about;
mod query;
mod texts;

use crate::app::App;
use crate::problem::Problem;
use crate::{guard, metrics};
use axum::Router;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::Response;
use axum::routing::{get, post};
use std::sync::Arc;

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
        .layer(from_fn_with_state(Arc::clone(app), metrics::count))
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
