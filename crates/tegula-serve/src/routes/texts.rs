//! Texts: added, removed and read.

use crate::answers::TEXTS;
use crate::app::App;
use crate::body::Body;
use crate::changes::{Added, Change, Done};
use crate::problem::Problem;
use crate::refusals::{BodyRefusals, Refusals};
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use utoipa::ToSchema;

/// Texts to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Adding {
    /// The texts; all are added, or none.
    #[schema(min_items = 1, max_items = 1000)]
    texts: Vec<New>,
    /// Whether they replace texts with the same ids.
    #[serde(default)]
    replace: bool,
}

/// A text to add, with the fields that the index keeps.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct New {
    /// Its id, by which it can be removed.
    #[schema(min_length = 1, example = "ad-17")]
    id: String,
    /// The text.
    text: String,
    #[serde(flatten)]
    #[schema(ignore)]
    fields: BTreeMap<String, Value>,
}

/// What was added.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AddedTexts {
    /// Texts that are on disk now.
    added: u64,
    /// Those among them that took the place of others.
    replaced: u64,
}

/// A text of the index, with the fields that it keeps.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Kept {
    /// Its id.
    id: String,
    #[serde(flatten)]
    #[schema(ignore)]
    fields: BTreeMap<String, Option<String>>,
    /// The text; none if the index keeps no texts.
    text: Option<String>,
}

/// Add texts. They are on disk when the answer comes.
#[utoipa::path(
    post,
    path = "/texts",
    request_body(content = Adding, description = "The texts"),
    responses(
        (status = 201, description = "They are added", body = AddedTexts),
        Refusals,
        BodyRefusals,
        (status = 409, description = "Ids are in the index, or twice in the request; nothing is added", body = Problem, content_type = "application/problem+json"),
    ),
    security(("token" = []), ())
)]
pub(crate) async fn add(
    State(app): State<Arc<App>>,
    Body { value, room }: Body<Adding>,
) -> Result<(StatusCode, Json<AddedTexts>), Problem> {
    may_change(&app)?;
    let Adding { texts, replace } = value;
    if !(1..=TEXTS).contains(&texts.len()) {
        return Err(Problem::field(format!(
            "texts: expected 1 to {TEXTS}, found {}",
            texts.len()
        )));
    }
    let names = app.index.description().fields;
    let texts = texts.into_iter().map(|new| new.checked(&names));
    let texts = texts.collect::<Result<Vec<_>, _>>()?;
    let mut ids = HashSet::new();
    if let Some(twice) = texts.iter().find(|added| !ids.insert(&*added.id)) {
        return Err(Problem {
            ids: vec![twice.id.clone()],
            ..Problem::new(
                StatusCode::CONFLICT,
                "id: expected a different one for each text, found one twice",
            )
        });
    }
    let Done { added, removed } = change(&app, Change::Add { texts, replace }, Some(room)).await?;
    Ok((
        StatusCode::CREATED,
        Json(AddedTexts {
            added,
            replaced: removed,
        }),
    ))
}

impl New {
    /// # Errors
    /// If a property is no field of the index.
    fn checked(self, names: &[String]) -> Result<Added, Problem> {
        if self.id.is_empty() {
            return Err(Problem::field(
                "id: expected at least one character, found none",
            ));
        }
        let mut fields = Vec::new();
        for (name, value) in self.fields {
            if !names.contains(&name) {
                let kept = if names.is_empty() {
                    "none".to_owned()
                } else {
                    names.join(", ")
                };
                return Err(Problem::field(format!(
                    "{name}: expected a field that the index keeps ({kept}), found another"
                )));
            }
            match value {
                Value::Null => {}
                Value::String(value) => fields.push((name, value)),
                Value::Number(value) => fields.push((name, value.to_string())),
                Value::Bool(value) => fields.push((name, value.to_string())),
                Value::Array(_) | Value::Object(_) => {
                    return Err(Problem::field(format!(
                        "{name}: expected a text or a number, found something else"
                    )));
                }
            }
        }
        Ok(Added {
            id: self.id,
            text: self.text,
            fields,
        })
    }
}

/// Remove the text with an id. It is gone for good when the answer comes.
#[utoipa::path(
    delete,
    path = "/texts/{id}",
    params(("id" = String, Path, description = "The id of its record", min_length = 1)),
    responses(
        (status = 204, description = "It is removed"),
        Refusals,
        (status = 400, description = "The id is no UTF-8", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "There is none", body = Problem, content_type = "application/problem+json"),
    ),
    security(("token" = []), ())
)]
pub(crate) async fn remove(
    State(app): State<Arc<App>>,
    id: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, Problem> {
    may_change(&app)?;
    change(&app, Change::Remove(valid(id)?), None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Read the text with an id, and its fields.
#[utoipa::path(
    get,
    path = "/texts/{id}",
    params(("id" = String, Path, description = "The id of its record", min_length = 1)),
    responses(
        (status = 200, description = "The text", body = Kept),
        Refusals,
        (status = 400, description = "The id is no UTF-8", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "There is none", body = Problem, content_type = "application/problem+json"),
    ),
    security(("token" = []), ())
)]
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<Kept>, Problem> {
    let id = valid(id)?;
    let turn = timeout(app.settings.timeout, app.gate.turn()).await;
    let turn = turn.map_err(|_| Problem::late())??;
    let found = spawn_blocking(move || {
        let _held = turn;
        let found = app.index.record(&id).map_err(|error| {
            app.failed(&error);
            Problem::from(&error)
        })?;
        let kept = found.ok_or_else(|| Problem::no_text(&id))?;
        let names = app.index.description().fields;
        let fields = names.into_iter().zip(kept.fields).collect();
        Ok(Json(Kept {
            id,
            fields,
            text: kept.text,
        }))
    });
    found.await.map_err(|_| Problem::stopping())?
}

fn valid(id: Result<Path<String>, PathRejection>) -> Result<String, Problem> {
    let Path(id) = id.map_err(|error| Problem::new(StatusCode::BAD_REQUEST, error.body_text()))?;
    Ok(id)
}

fn may_change(app: &App) -> Result<(), Problem> {
    if app.settings.read_only {
        let detail = "expected a query, as this server is read-only";
        return Err(Problem::new(StatusCode::FORBIDDEN, detail));
    }
    Ok(())
}

async fn change(
    app: &App,
    change: Change,
    room: Option<tokio::sync::OwnedSemaphorePermit>,
) -> Result<Done, Problem> {
    let made = timeout(app.settings.timeout, app.changes.make(change, room)).await;
    made.map_err(|_| Problem::late())?
}
