//! The server itself: its page, health, figures and description.

use crate::app::App;
use crate::problem::Problem;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, header};
use axum::response::Html;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{OpenApi as Description, RefOr};
use utoipa::{Modify, OpenApi, ToSchema};

/// The page.
pub(crate) async fn page(State(app): State<Arc<App>>) -> Html<String> {
    Html(app.settings.page.clone())
}

/// How the server is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`.
    #[schema(example = "ok")]
    status: &'static str,
    /// Records of the index.
    texts: u64,
    /// How texts are compared.
    #[schema(example = "copies")]
    recipe: String,
    /// The fields that the index keeps.
    fields: Vec<String>,
    /// Whether texts are kept.
    keeps_texts: bool,
    /// Whether questions are answered only.
    read_only: bool,
    /// Whether requests need a token.
    needs_token: bool,
    /// The version of the program.
    version: &'static str,
}

/// Report whether the server is up, and which index it serves.
#[utoipa::path(
    get,
    path = "/health",
    responses(
        (status = 200, description = "It answers", body = Health),
        (status = 503, description = "It is being stopped", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn health(State(app): State<Arc<App>>) -> Result<Json<Health>, Problem> {
    if app.is_stopping.load(Ordering::Relaxed) {
        return Err(Problem::stopping());
    }
    let description = app.index.description();
    Ok(Json(Health {
        status: "ok",
        texts: description.records(),
        recipe: description.recipe.recipe,
        fields: description.fields,
        keeps_texts: description.texts,
        read_only: app.settings.read_only,
        needs_token: app.settings.token.is_some(),
        version: env!("CARGO_PKG_VERSION"),
    }))
}

/// Figures for Prometheus, in the format of OpenMetrics.
#[utoipa::path(
    get,
    path = "/metrics",
    responses(
        (status = 200, description = "The figures", body = String, content_type = "application/openmetrics-text"),
        (status = 401, description = "The token is missing", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "It is addressed to another host", body = Problem, content_type = "application/problem+json"),
    ),
    security(("token" = []), ())
)]
pub(crate) async fn metrics(
    State(app): State<Arc<App>>,
) -> ([(HeaderName, &'static str); 1], String) {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], figures(&app))
}

fn figures(app: &App) -> String {
    let waiting = app.gate.waiting(&app.settings);
    app.metrics.text(&app.index.description(), waiting)
}

/// This description.
pub(crate) async fn description(State(app): State<Arc<App>>) -> Json<Description> {
    let mut description = Api::openapi();
    let schemas = description
        .components
        .iter_mut()
        .flat_map(|all| &mut all.schemas);
    let texts = schemas.filter(|(name, _)| WITH_FIELDS.contains(&name.as_str()));
    for (_, schema) in texts {
        let RefOr::T(Schema::Object(text)) = schema else {
            continue;
        };
        for name in app.index.description().fields {
            let types = SchemaType::from_iter([Type::String, Type::Null]);
            let value = ObjectBuilder::new().schema_type(types);
            text.properties.insert(name, value.into());
        }
        text.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
    }
    Json(description)
}

/// What has the fields of the index.
const WITH_FIELDS: [&str; 3] = ["New", "Kept", "Resembling"];

#[derive(OpenApi)]
#[openapi(
    info(title = "Tegula", description = "An index of texts: what resembles a text, exactly and with the passages that both share."),
    paths(super::query::query, super::texts::add, super::texts::remove, super::texts::read, health, metrics),
    modifiers(&Token)
)]
struct Api;

/// The token as a way to be let in.
struct Token;

impl Modify for Token {
    fn modify(&self, description: &mut Description) {
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        let components = description.components.get_or_insert_default();
        components.add_security_scheme("token", scheme);
    }
}
